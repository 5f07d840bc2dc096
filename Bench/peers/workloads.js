// W1, W7 and W9 as loops; W1 and W2 as chains of closures. One line each: name, ns an event, result.

function measure(name, events, run) {
  run(Math.floor(events / 10));
  let best = Infinity, result;
  for (let block = 0; block < 5; block++) {
    const start = process.hrtime.bigint();
    result = run(events);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / events);
  }
  console.log(name, best.toFixed(2), result);
}

measure("W1:loop", 2000000, (n) => {
  let total = 0;
  for (let i = 0; i < n; i++) {
    const x = i + 1;
    if (x % 2 === 0) total += x * 3;
  }
  return total;
});

const map = (f, next) => (x) => next(f(x));
const filter = (p, next) => (x) => { if (p(x)) next(x); };

measure("W1:closures", 2000000, (n) => {
  let total = 0;
  const input = map((x) => x + 1, filter((x) => x % 2 === 0, map((x) => x * 3, (x) => { total += x; })));
  for (let i = 0; i < n; i++) input(i);
  return total;
});

measure("W2:closures", 5000, (n) => {
  let last = 0;
  let input = (x) => { last = x; };
  for (let k = 0; k < 1000; k++) input = map((x) => x + 1, input);
  for (let i = 0; i < n; i++) input(i);
  return last;
});

measure("W7:loop", 500000, (n) => {
  const keys = Array.from({ length: 1000 }, (_, k) => "key" + k);
  const sums = new Map();
  let total = 0;
  for (let i = 0; i < n; i++) {
    const key = keys[(i * 7919) % 1000];
    const sum = (sums.get(key) ?? 0) + (i % 100) * 0.5;
    sums.set(key, sum);
    total += sum;
  }
  return total;
});

measure("W9:loop", 1000000, (n) => {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const t = 0.001 * i, c = Math.cos(3 * t);
    sum += Math.sin(t) * Math.exp(-t / 10) + c * c;
  }
  return sum;
});
