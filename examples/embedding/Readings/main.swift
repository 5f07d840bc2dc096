// A day of a sensor's readings, which lie in an array: they go to the program in one call, and it still sees them one by one.
// A reading that it cannot take stops the call, which says where; the rest goes on behind it.

import FRP

let program = Program(
  Source(
    name: "readings.frp",
    text: """
      input power: Event<Float>
      input scale: Event<Int>
      output peak = power |> fold(0.0, (most, w) => max(most, w))
      output mean = (power |> fold(0.0, (sum, w) => sum + w)) / toFloat(max(power |> count, 1))
      output loud = power |> filter(w => w > 990.0) |> count
      output ratio = scale |> map(s => div(3600, s))
      """))
let power = try program.eventInput("power", of: Double.self)
let scale = try program.eventInput("scale", of: Int.self)
let peak = try program.behavior("peak", of: Double.self)
let mean = try program.behavior("mean", of: Double.self)
let loud = try program.behavior("loud", of: Int.self)
let ratio = try program.events("ratio", of: Int.self)

let run = try Simulation(program)
run.start()

// One reading a second.
let day = (0..<86_400).map { second in Double((second * 7919) % 1000) }
try run.send(many: day, to: power)
print("peak \(try run.value(of: peak)) W, mean \(try run.value(of: mean)) W")
print("\(try run.value(of: loud)) seconds above 990 W")

// Observers are told after each.
run.observe(ratio) { print("ratio \($0.value)") }
var scales = [10, 20, 0, 40, 50][...]
while !scales.isEmpty {
  do throws(SendingManyFailure) {
    try run.send(many: Array(scales), to: scale)
    scales = []
  } catch {
    print("passed over \(scales[scales.startIndex + error.taken]): \(error.error)")
    scales = scales.dropFirst(error.taken + 1)
  }
}
