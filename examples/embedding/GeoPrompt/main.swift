// A prompt that knows the host's functions: completion, `:doc`, types and messages see them, and calling one runs its
// Swift closure. With arguments it is the whole command line: `swift run GeoPrompt test places.frp`.

import FRP
import FRPPrompt
import Foundation

struct Place: FrpCodable, Hashable {
  var lat: Double
  var lon: Double

  /// Kilometres, on a sphere.
  func distance(to other: Place) -> Double {
    let (a, b) = (lat * .pi / 180, other.lat * .pi / 180)
    let angle = sin(a) * sin(b) + cos(a) * cos(b) * cos((lon - other.lon) * .pi / 180)
    return 6371 * acos(min(1, angle))
  }
}

let known = ["Oslo": Place(lat: 59.91, lon: 10.75), "Rome": Place(lat: 41.89, lon: 12.48)]

let geo = HostModule("Geo", help: "Places on earth.") {
  $0.function("distance", "from", "to", help: "Kilometres between two places.") {
    (from: Place, to: Place) in from.distance(to: to).rounded()
  }
  $0.task("locate", "name", help: "Where a town is; fails for one that nobody knows.") { (name: String) async throws in
    try await Task.sleep(for: .milliseconds(20))
    guard let place = known[name] else { throw FrpError("there is no \(name)") }
    return place
  }
}

let words = Array(CommandLine.arguments.dropFirst())
if words.isEmpty {
  exit(await Prompt(host: [geo]).run())
} else {
  exit(await CommandLineTool(host: [geo]).run(words))
}
