// A game at 60 frames a second: the loop owns the time and asks for what it draws. Between frames the physics is exact:
// the ball bounces when it hits the floor, not at the next frame.

import FRP

let program = Program(
  Source(
    name: "ball.frp",
    text: """
      input kick: Event<Float>
      height = integralFrom(velocity, 10.0, never)
      velocity = integralFrom(-9.81, 0.0, merge(bounce |> map(_ => -0.8 * velocity), kick))
      bounce = when(height <= 0.0)
      output height
      output bounce
      """))
let kick = try program.eventInput("kick", of: Double.self)
let height = try program.behavior("height", of: Double.self)
let bounce = try program.events("bounce", of: FrpUnit.self)

let run = try Simulation(program)
run.start()
run.observe(bounce) { print("bounce at \($0.time.rounded(to: 6)) s") }

for frame in 1...240 {
  run.advance(to: Double(frame) / 60)
  if frame == 90 { try run.send(12, to: kick) }
  if frame % 60 == 0 { print("frame \(frame): height \((try run.value(of: height)).rounded(to: 6)) m") }
}

extension Double {
  func rounded(to places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}
