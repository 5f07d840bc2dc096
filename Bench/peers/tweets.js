// W10: node tweets.js < tweets.jsonl. Blocks of standard input, split here; JSON.parse for each line.
const sums = new Map();
let rest = "";
const take = (line) => {
  const { brand, followers } = JSON.parse(line);
  sums.set(brand, (sums.get(brand) ?? 0) + 1.0 + 1.01 * followers);
};
process.stdin.setEncoding("utf8");
process.stdin.on("data", (block) => {
  const lines = (rest + block).split("\n");
  rest = lines.pop();
  for (const line of lines) take(line);
});
process.stdin.on("end", () => {
  if (rest) take(rest);
  for (const [brand, sum] of sums) console.log(brand, sum);
});
