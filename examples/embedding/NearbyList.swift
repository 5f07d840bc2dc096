// A list of records that follows two inputs. A Swift struct crosses the border with a conformance of three members;
// that its fields fit the program is checked when the handle is made, before anything runs.

import FRP

private struct Site: FrpConvertible, Equatable {
  var name: String
  var x, y: Double

  static var frpType: FrpType { .record(["name": .text, "x": .number, "y": .number]) }
  var frpValue: FrpValue { .record(["name": .text(name), "x": .number(x), "y": .number(y)]) }

  init(_ name: String, _ x: Double, _ y: Double) {
    self.name = name
    self.x = x
    self.y = y
  }

  init(frpValue: FrpValue) throws(ConversionFailure) {
    name = try frpValue.field("name")
    x = try frpValue.field("x")
    y = try frpValue.field("y")
  }
}

@Sendable func nearbyList() throws {
  let program = compiled(
    """
    alias Site = {name: String, x: Float, y: Float}
    input sites: Behavior<List<Site>> = []
    input here: Behavior<{x: Float, y: Float}> = {x: 0.0, y: 0.0}
    away(s) = sqrt(pow(s.x - here.x, 2.0) + pow(s.y - here.y, 2.0))
    output nearby = sites |> filter(s => away(s) < 5.0) |> sortBy(s => away(s))
    """)
  let sites = try program.behaviorInput("sites", of: [Site].self)
  let here = try program.behaviorInput("here", of: FrpValue.self)
  let nearby = try program.behavior("nearby", of: [Site].self)
  let run = try Simulation(program)
  run.start()
  try run.set(sites, to: [Site("mill", 9, 0), Site("well", 3, 0), Site("oak", 0, 1)])
  expect("near the origin", try run.value(of: nearby).map(\.name), ["oak", "well"])
  try run.set(here, to: .record(["x": .number(7), "y": .number(0)]))
  expect("further east", try run.value(of: nearby).map(\.name), ["mill", "well"])
  do throws(BindingFailure) {
    _ = try program.behavior("nearby", of: [Int].self)
  } catch {
    expect("a wrong type", error.message, "`nearby` at [] is {name: String, x: Float, y: Float}, not Int")
  }
}
