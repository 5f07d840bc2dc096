// Settings of a session: `:set NAME VALUE`, and a file of commands that is read when a session begins.

import FRP
import FRPBase

struct ReplOptions {
  /// How many bytes of a value are shown, or kept to be shown.
  static let shownBytes = 2_000
  /// Whether a behavior that was looked at has a row that follows it.
  var isLive = true
  /// How often a second the row is drawn again.
  var rate = 10
  /// What pictures are made of.
  var canvas = PlotCanvas.braille
  /// What stands before an entry.
  var prompt = "frp> "
  /// Whether entries are kept in the history file.
  var keepsHistory = true
}

extension ReplSession {
  /// `NAME VALUE`: an option, unless an input behavior has that name; nothing lists the options.
  func set(_ text: String) {
    var words = ReplWords(text)
    let name = words.next()
    let value = trimmed(words.rest)
    if current.name(name)?.isInput == true { return push(text) }
    switch (name, value) {
    case ("", _): show(wrappedToFit(optionList))
    case ("live", "on"), ("live", "off"): options.isLive = value == "on"
    case ("canvas", _):
      guard let canvas = PlotCanvas(rawValue: value) else { return fail("Write :set canvas braille, block or ascii") }
      options.canvas = canvas
    case ("history", "on"), ("history", "off"): options.keepsHistory = value == "on"
    case ("rate", _):
      guard let rate = Int(value), (1...60).contains(rate) else {
        return fail("Write :set rate 10; from 1 to 60 a second")
      }
      options.rate = rate
    case ("prompt", _) where !value.isEmpty:
      options.prompt = (JSONParts.string(value) ?? value + " ").replacing("\n", with: " ")
    case ("live", _), ("history", _), ("prompt", _):
      fail("Write :set \(name) \(name == "prompt" ? "\"> \"" : "on, or off")")
    case _ where current.name(name) != nil: fail(noInput(name))
    default:
      let near = nearestNames(name, among: Self.optionNames + current.names.filter(\.isInput).map(\.name)).first
      fail(
        "there is no input or option called \(name)"
          + (near.map { "; did you mean \($0)?" } ?? "   (:set lists the options)"))
    }
  }

  static let optionNames = ["live", "rate", "canvas", "history", "prompt"]

  private var optionList: String {
    func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    let rows = [
      ["live", onOff(options.isLive), "a behavior that was looked at has a row that follows it"],
      ["rate", "\(options.rate)", "how often a second that row is drawn"],
      ["canvas", options.canvas.rawValue, "what pictures are made of: braille, block or ascii"],
      ["history", onOff(options.keepsHistory), "entries are kept in the history file"],
      ["prompt", jsonString(options.prompt), "what stands before an entry"],
    ]
    return aligned(rows) + "\n  :set NAME VALUE changes one; input behaviors are set the same way.\n"
      + "  At the start \(configurationPath ?? "nothing") is read."
  }

  private var configurationPath: String? {
    if let named = console.environment("FRP_CONFIG") { return named.isEmpty ? nil : named }
    if let folder = console.environment("XDG_CONFIG_HOME"), !folder.isEmpty { return folder + "/frp/prompt" }
    return console.environment("HOME").map { $0 + "/.config/frp/prompt" }
  }

  /// Carries out the entries of the configuration file, without keeping them.
  func readConfiguration() {
    guard let path = configurationPath, let bytes = Source.bytes(path) else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("//") {
      enter(" " + line)
    }
  }
}
