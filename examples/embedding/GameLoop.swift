// A game at 60 frames a second: the loop owns the time and asks for what it draws. Between frames the physics is exact:
// the ball bounces when it hits the floor, not at the next frame.

import FRP

@Sendable func gameLoop() throws {
  let program = compiled(
    """
    height = integralFrom(velocity, 10.0, never)
    velocity = integralFrom(-9.81, 0.0, bounce |> map(_ => -0.8 * velocity))
    bounce = when(height <= 0.0)
    output height
    output bounce
    """)
  let height = try program.behavior("height", of: Double.self)
  let bounces = try program.events("bounce", of: FrpUnit.self)
  let run = try Simulation(program)
  run.start()
  var times: [Double] = []
  run.observe(bounces) { times.append($0.time) }
  for frame in 1...180 {
    run.advance(to: Double(frame) / 60)
    if frame % 60 == 0 { print("  frame \(frame): height \(try run.value(of: height))") }
  }
  expect("bounces", times.count, 1)
  expect("the first, to the microsecond", (times[0] * 1e6).rounded() / 1e6, 1.427843)
}
