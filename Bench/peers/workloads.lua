-- W1 as a loop and as a chain of closures, W2 as a chain of closures, W7 and W9 as loops. One line each: name, ns an
-- event, result; the lines' meaning is in Bench/Programs/Peers.swift.

local function measure(name, events, run)
  run(math.floor(events / 10))
  local best, result = math.huge, nil
  for _ = 1, 5 do
    local start = os.clock()
    result = run(events)
    best = math.min(best, (os.clock() - start) / events * 1e9)
  end
  print(string.format("%s %.2f %.17g", name, best, result))
end

measure("W1:loop", 2000000, function(n)
  local total = 0
  for i = 0, n - 1 do
    local x = i + 1
    if x % 2 == 0 then total = total + x * 3 end
  end
  return total
end)

local function map(f, next) return function(x) next(f(x)) end end
local function filter(p, next) return function(x) if p(x) then next(x) end end end

measure("W1:closures", 1000000, function(n)
  local total = 0
  local add = function(x) total = total + x end
  local input = map(function(x) return x + 1 end,
    filter(function(x) return x % 2 == 0 end, map(function(x) return x * 3 end, add)))
  for i = 0, n - 1 do input(i) end
  return total
end)

measure("W2:closures", 5000, function(n)
  local last = 0
  local input = function(x) last = x end
  for _ = 1, 1000 do input = map(function(x) return x + 1 end, input) end
  for i = 0, n - 1 do input(i) end
  return last
end)

measure("W7:loop", 500000, function(n)
  local keys, sums, total = {}, {}, 0
  for k = 0, 999 do keys[k] = "key" .. k end
  for i = 0, n - 1 do
    local key = keys[(i * 7919) % 1000]
    local sum = (sums[key] or 0) + (i % 100) * 0.5
    sums[key] = sum
    total = total + sum
  end
  return total
end)

measure("W9:loop", 1000000, function(n)
  local sum = 0
  for i = 0, n - 1 do
    local t = 0.001 * i
    local c = math.cos(3 * t)
    sum = sum + math.sin(t) * math.exp(-t / 10) + c * c
  end
  return sum
end)
