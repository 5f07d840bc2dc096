// `:bind` and `:play`: single keys drive a program that has the whole screen, until Escape.
//
// A text of several lines is drawn as it is, so that a program can draw; anything else is a row with its name.

import FRP
import FRPBase

/// What a key sends.
struct ReplBinding: Equatable {
  var input: String
  /// As it was written; nil for the key's own name.
  var value: String?
  /// The same as JSON of the input's type.
  var json: String
}

/// Bytes of a terminal as the names of keys.
struct KeyNames {
  private static let sequences: [(bytes: String, name: String)] = [
    ("[A", "up"), ("[B", "down"), ("[C", "right"), ("[D", "left"), ("OA", "up"), ("OB", "down"), ("OC", "right"),
    ("OD", "left"), ("[H", "home"), ("[F", "end"), ("[5~", "pageup"), ("[6~", "pagedown"), ("[3~", "delete"),
  ]
  private static let single: [UInt8: String] = [
    0x20: "space", 0x0D: "enter", 0x0A: "enter", 0x09: "tab", 0x7F: "backspace", 0x08: "backspace",
  ]

  static let all = Set(sequences.map(\.name) + single.values + ["escape"])

  /// The keys of what was read at once: an escape with nothing behind it is the key.
  static func keys(_ bytes: [UInt8]) -> [String] {
    var keys: [String] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == 0x1B {
        let known = sequences.first { rest.dropFirst().starts(with: $0.bytes.utf8) }
        let unknown = rest.count > 1 && (rest[rest.startIndex + 1] == 0x5B || rest[rest.startIndex + 1] == 0x4F)
        if known == nil, unknown {
          // Another sequence, which ends with a letter or `~`.
          let end = rest.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
          rest = end.map { rest[($0 + 1)...] } ?? []
          continue
        }
        keys.append(known?.name ?? "escape")
        rest = rest.dropFirst(1 + (known?.bytes.utf8.count ?? 0))
      } else if let name = single[first] {
        keys.append(name)
        rest = rest.dropFirst()
      } else {
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let character = String(decoding: rest.prefix(count), as: UTF8.self)
        if first >= 0x20 { keys.append(character) }
        rest = rest.dropFirst(count)
      }
    }
    return keys
  }
}

extension ReplSession {
  /// `:bind KEY => INPUT [VALUE]`, `:bind any => INPUT`, `:bind KEY off`; alone it lists them.
  func bind(_ text: String) {
    if text.isEmpty { return listBindings() }
    var words = ReplWords(text)
    let key = words.next()
    let next = words.next()
    if next == "off" {
      if bindings.removeValue(forKey: key) == nil { return fail("\(key) is not bound") }
      return show("\(key) is not bound any more")
    }
    let name = words.next()
    guard next == "=>", !name.isEmpty else { return fail("Write :bind left => INPUT VALUE") }
    guard key == "any" || key.count == 1 || KeyNames.all.contains(key) else {
      let near = nearestNames(key, among: KeyNames.all.sorted()).first
      return fail(
        "there is no key \(key)" + (near.map { "; did you mean \($0)?" } ?? ": a letter, left, space, enter …"))
    }
    if key == "escape" { return fail("escape ends :play") }
    guard current.name(name)?.isInput == true else { return fail(noInput(name)) }
    let value = trimmed(words.rest)
    let isOwnName = key == "any"
    if isOwnName, !value.isEmpty { return fail("any sends the key's own name: write :bind any => \(name)") }
    guard let json = inputJSON(isOwnName ? "key" : value, name) else { return fail(misfit(value, name, "push")) }
    bindings[key] = ReplBinding(input: name, value: isOwnName ? nil : value, json: json)
    show("\(key) sends \(name) \(isOwnName ? "its own name" : value)   (:play lets keys drive the program)")
  }

  private func listBindings() {
    if bindings.isEmpty { return show("no key is bound; write :bind left => INPUT VALUE") }
    show(
      aligned(
        bindings.sorted { $0.key < $1.key }.map { [$0.key, "=>", "\($0.value.input) \($0.value.value ?? "its name")"] })
    )
  }

  /// `:play [NAME …]`: the whole screen shows these definitions, or all, and keys do what they are bound to.
  func play(_ text: String) {
    guard hasScreen else { return fail(":play needs a screen") }
    let names = text.split { $0 == " " || $0 == "," }.map(String.init)
    if let unknown = names.first(where: { current.name($0) == nil }) { return fail(unknownName(unknown)) }
    let shown = names.isEmpty ? playable : names
    if shown.isEmpty { return fail("there is nothing to see yet: define something first") }
    live.isPlaying = true
    source.fillScreen(true)
    defer {
      source.fillScreen(false)
      live.isPlaying = false
      let held = live.held
      live.held = []
      for text in held.suffix(20) { show(text) }
      show("played until \(seconds(clock.now))")
    }
    var last = ""
    while let wait = goOn() {
      let frame = frame(shown)
      if frame != last { source.drawScreen(frame) }
      last = frame
      for key in KeyNames.keys(source.bytes(within: min(wait, 33))) {
        if key == "escape" { return }
        press(key)
      }
    }
  }

  /// What one would look at: texts of several lines alone, if there are any.
  private var playable: [String] {
    let all = current.names.filter {
      $0.name != "it" && !$0.isInput && ($0.kind == .behavior || $0.kind == .event)
    }.map(\.name)
    let pictures = all.filter { picture($0) != nil }
    return pictures.isEmpty ? all : pictures
  }

  private func press(_ key: String) {
    guard let binding = bindings[key] ?? bindings["any"] else { return }
    let json = binding.value == nil ? jsonString(key) : binding.json
    guard (try? simulation?.canonical(json, of: binding.input)) != nil else { return }
    advance(to: clock.now)
    send([(binding.input, json)])
  }

  /// The lines of a text that has several.
  private func picture(_ name: String) -> [String]? {
    guard current.name(name)?.kind == .behavior, let json = try? simulation?.value(of: name, atMost: 1 << 16),
      json.hasPrefix("\""), let text = JSONParts.string(json), text.contains("\n")
    else { return nil }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func frame(_ names: [String]) -> String {
    let (width, height) = (console.width(nil), source.paneRoom + 5)
    let label = min(24, names.map(\.count).max() ?? 0)
    let lines = names.flatMap { name -> [String] in
      if let picture = picture(name) { return picture }
      guard let known = current.name(name) else { return [] }
      let shown = (trace[name]?.last).flatMap { simulation?.sourceText($0.json, name) }
      return [ScreenText.padded(name, label) + "  " + (known.kind == .event ? shown ?? "-" : value(name))]
    }
    let keys = bindings.isEmpty ? "no key is bound (:bind)" : bindings.keys.sorted().joined(separator: " ")
    let status = "\(seconds((clock.now * 10).rounded() / 10))  \(keys)  Escape ends"
    let body = lines.prefix(max(0, height - 1)).map { fit(safeForTerminal($0), width) }
    let blank = [String](repeating: "", count: max(0, height - 1 - body.count))
    return (body + blank + [dimmed(fit(status, width))]).joined(separator: "\n")
  }
}
