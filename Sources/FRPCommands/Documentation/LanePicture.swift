// The lanes of tests as marbles. That they are true is what tests are run for; here they are drawn as they are written.

import FRP
import FRPBase

enum LanePicture {
  /// Lanes that are drawn of one test, and values of one lane.
  private static let mostLanes = 8
  private static let mostValues = 60

  /// A picture for each test with lanes, in code that may be a program, or steps of a test with the program they are about.
  static func pictures(of code: String) -> [String] {
    TestBlock.all(in: Source(name: "part.frp", text: whole(code))).compactMap(picture)
  }

  static func picture(of test: TestBlock) -> String? {
    let lanes = test.lanes { DurationText.nanoseconds($0).map { Double($0) / 1e9 } }
      .filter { !$0.shown.isEmpty && $0.shown.count <= mostValues }.prefix(mostLanes)
    guard let length = lanes.map(\.length).max(), length > 0 else { return nil }
    let drawn = lanes.map { lane in
      PictureRun.Lane(
        title: lane.subject, name: lane.subject, kind: .event, shown: lane.shown.map { ($0.time, $0.value) })
    }
    return SVGMarbles(lanes: drawn, length: length) { value, _ in value }.text
  }

  /// Steps that stand alone become those of a test.
  private static func whole(_ code: String) -> String {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
    let steps = lines.filter(isStep)
    if steps.isEmpty { return code }
    let rest = lines.filter { !isStep($0) }.joined(separator: "\n")
    return rest + "\ntest \"steps\" {\n" + steps.map { "  \($0)\n" }.joined() + "}\n"
  }

  static func isStep(_ line: Substring) -> Bool { line.hasPrefix("given ") || line.hasPrefix("expect ") }
}
