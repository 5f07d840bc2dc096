// A list of records that follows two inputs. Swift structs cross the border as they are; that their fields fit the program is
// checked when a handle is made, before anything runs.

import FRP

struct Site: FrpCodable {
  var name: String
  var x, y: Double
}

struct Position: FrpCodable {
  var x, y: Double
}

let program = Program(
  Source(
    name: "nearby.frp",
    text: """
      alias Site = {name: String, x: Float, y: Float}
      input sites: Behavior<List<Site>> = []
      input here: Behavior<{x: Float, y: Float}> = {x: 0.0, y: 0.0}
      distance(s) = Math.hypot(s.x - here.x, s.y - here.y)
      output nearby = sites |> filter(s => distance(s) < 5.0) |> sortBy(s => distance(s)) |> map(.name)
      """))

let sites = try program.behaviorInput("sites", of: [Site].self)
let here = try program.behaviorInput("here", of: Position.self)
let nearby = try program.behavior("nearby", of: [String].self)

let run = try Simulation(program)
run.start()
run.observe(nearby) { print("near: \($0.value.joined(separator: ", "))") }
try run.set(
  sites, to: [Site(name: "mill", x: 9, y: 0), Site(name: "well", x: 3, y: 0), Site(name: "oak", x: 0, y: 1)])
try run.set(here, to: Position(x: 7, y: 0))
try run.set(here, to: Position(x: 8, y: 0))  // changes nothing that is shown

do {
  _ = try program.behaviorInput("here", of: Site.self)
} catch {
  print("refused: \(error.message)")
}
