// RxJS's own marble tests as programs of ours: sources become inputs, the expression is translated by `RxTable`, one
// time unit is a millisecond. Errors and completions are nothing in our language: what follows from them is listed.

import FRPBase
import FRPCore
import FRPModel
import FRPTestFiles

package struct RxCase: Sendable {
  package let id: Int
  let json: JSON

  /// All cases, in order.
  package static let all: [RxCase] = (TestFiles.read(TestFiles.tests + "/Conformance/rx_marbles.jsonl") ?? "")
    .split(separator: "\n").compactMap { line in
      guard let json = JSON(line), let id = json["id"]?.int else { return nil }
      return RxCase(id: id, json: json)
    }

  /// By id: the rule of the language by which our answer differs.
  package static let differs: [Int: String] = {
    var result: [Int: String] = [:]
    let text = TestFiles.read(TestFiles.tests + "/Conformance/rx_differs.txt") ?? ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, let id = Int(parts[0]) { result[id] = parts[1].trimmed }
    }
    return result
  }()

  /// What is wrong with a run of the case; nil if nothing is.
  package func problem(engine: Bool) -> String? {
    var translation = RxTranslation(json)
    guard let source = translation.program() else { return "not translated: \(translation.missing)" }
    let compiled = Compiled(source)
    guard let core = compiled.core else { return "\(compiled.problems)\n\(source)" }
    guard let trace = TraceLine.parse(translation.trace()) else { return "bad trace" }
    let end = Double(translation.end) / 1000
    let run = onLargeStack {
      engine ? Engine.run(core, trace, until: end, sample: nil) : Model(core).run(trace, until: end, sample: nil)
    }
    guard let run else { return "no plan" }
    let wanted = translation.expected()
    let got = run.lines.filter { $0.seconds <= end }
    for index in 0..<max(wanted.count, got.count) {
      let a = index < wanted.count ? "\(wanted[index].0) \(wanted[index].1.text)" : "nothing"
      let b = index < got.count ? "\(Int((got[index].seconds * 1000).rounded())) \(got[index].json)" : "nothing"
      guard index < wanted.count, index < got.count, let json = JSON(got[index].json),
        json.isNear(wanted[index].1), wanted[index].0 == Int((got[index].seconds * 1000).rounded())
      else { return "wants \(a), got \(b)\n\(source)" }
    }
    return nil
  }
}

extension Substring {
  var trimmed: String {
    var rest = self
    while rest.first == " " { rest = rest.dropFirst() }
    while rest.last == " " { rest = rest.dropLast() }
    return String(rest)
  }
}

extension JSON {
  var int: Int? {
    if case .number(let text) = self { return Int(text) }
    return nil
  }
  var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }
  var array: [JSON]? {
    if case .array(let all) = self { return all }
    return nil
  }
}

struct RxTranslation {
  private let json: JSON
  private(set) var missing = ""
  /// The last moment that counts, in milliseconds.
  private(set) var end = 0
  private var definitions: [String] = []
  private var payloads: [String: RxTable.Payload] = [:]

  init(_ json: JSON) {
    self.json = json
    for source in json["sources"]?.array ?? [] {
      for event in source["events"]?.array ?? [] { end = max(end, event.array?.first?.int ?? 0) }
    }
    for event in json["expected"]?["events"]?.array ?? [] { end = max(end, event.array?.first?.int ?? 0) }
    if let last = unsubscribed { end = last - 1 }
  }

  /// When the observer leaves.
  private var unsubscribed: Int? {
    guard let marbles = json["unsubscribe"]?.string ?? json["unsubscribe"]?["marbles"]?.string else {
      return nil
    }
    return marbles.filter { $0 != " " }.enumerated().first { $0.element == "!" }?.offset
  }

  // MARK: The program

  mutating func program() -> String? {
    var lines: [String] = []
    for source in json["sources"]?.array ?? [] {
      guard let name = source["name"]?.string else { return nil }
      let values = occurrences(source).map(\.1)
      if values.contains(where: { $0["$notification"] != nil }) {
        lines.append("type Note = N(String) | C | E(String)")
        lines.append("input \(name): Event<Note>")
        payloads[name] = .other
        continue
      }
      guard let type = type(of: values) else {
        missing = "values of several types"
        return nil
      }
      payloads[name] = type == "String" ? .string : (type == "Int" ? .int : .other)
      lines.append("input \(name): Event<\(type)>")
    }
    guard let expr = json["expr"], let (text, _) = stream(expr) else { return nil }
    return (lines + definitions + ["output out = \(text)"]).joined(separator: "\n") + "\n"
  }

  private func occurrences(_ source: JSON) -> [(Int, JSON)] {
    (source["events"]?.array ?? []).compactMap { event in
      guard let parts = event.array, parts.count == 3, parts[1] == .string("N"), let time = parts[0].int, time >= 0
      else { return nil }
      return (time, parts[2])
    }
  }

  private func type(of values: [JSON]) -> String? {
    guard let first = values.first else { return "String" }
    guard let type = type(first), values.allSatisfy({ self.type($0) == type }) else { return nil }
    return type
  }

  private func type(_ value: JSON) -> String? {
    switch value {
    case .string: return "String"
    case .number: return "Int"
    case .object(let members):
      var fields: [String] = []
      for member in members.sorted(by: { $0.name < $1.name }) {
        guard let type = type(member.value), !member.name.hasPrefix("$") else { return nil }
        fields.append("\(member.name): \(type)")
      }
      return "{\(fields.joined(separator: ", "))}"
    default: return nil
    }
  }

  private func literal(_ value: JSON) -> String? {
    switch value {
    case .number(let text): return text
    case .string(let text): return "\"\(text)\""
    // JavaScript shows what is missing by this word.
    case .object where value["$undefined"] != nil: return "\"undefined\""
    case .array(let all):
      let parts = all.compactMap { literal($0) }
      return parts.count == all.count ? "[\(parts.joined(separator: ", "))]" : nil
    default: return nil
    }
  }

  // MARK: Expressions

  private mutating func stream(_ expr: JSON) -> (String, RxTable.Payload)? {
    if let name = expr["src"]?.string { return (name, payloads[name] ?? .string) }
    if let name = expr["ref"]?.string, let inner = json["let"]?[name] { return stream(inner) }
    if let inner = expr["obs"] { return stream(inner) }
    if let values = expr.array { return creator("of", values) }
    guard let name = expr["op"]?.string else { return nil }
    let arguments = expr["args"]?.array ?? []
    if let on = expr["on"] { return method(name, on, arguments) }
    return creator(name, arguments)
  }

  private mutating func creator(_ name: String, _ arguments: [JSON]) -> (String, RxTable.Payload)? {
    switch name {
    case "never", "empty": return ("never", .other)
    case "of":
      let values = arguments.compactMap { literal($0) }
      guard values.count == arguments.count else { return fail(name) }
      let payload: RxTable.Payload = arguments.first?.string != nil ? .string : .int
      return ("(start |> map(_ => [\(values.joined(separator: ", "))]) |> spill)", payload)
    case "merge": return joined(arguments) { "merge(\($0.joined(separator: ", ")))" }
    case "combineLatest", "zip": return several(name, arguments)
    case "race": return race(list(arguments))
    case "iif": return arguments.count == 3 ? stream(arguments[2]) : nil
    case "timer":
      let period = arguments.count > 1 ? arguments[1].int : nil
      return apply(period == nil ? "timer" : "timerEvery", "", arguments.map { literal($0) ?? "" }, .int)
    default: return fail(name)
    }
  }

  private mutating func fail(_ name: String) -> (String, RxTable.Payload)? {
    missing = name
    return nil
  }

  private func list(_ arguments: [JSON]) -> [JSON] {
    if arguments.count == 1, let inner = arguments[0]["$list"]?.array { return inner }
    return arguments
  }

  private mutating func joined(_ arguments: [JSON], _ make: ([String]) -> String) -> (String, RxTable.Payload)? {
    var parts: [String] = []
    var payload = RxTable.Payload.string
    for argument in list(arguments) {
      guard let (text, kind) = stream(argument) else { return nil }
      parts.append(text)
      payload = kind
    }
    return (make(parts), payload)
  }

  private mutating func race(_ streams: [JSON]) -> (String, RxTable.Payload)? {
    guard let first = streams.first, let (text, payload) = stream(first) else { return nil }
    if streams.count == 1 { return (text, payload) }
    guard let (other, _) = stream(streams[1]) else { return nil }
    return apply("raceWith", text, [other], payload)
  }

  /// `combineLatest` is lifting over what was held; `zip` is ours.
  private mutating func several(_ name: String, _ arguments: [JSON]) -> (String, RxTable.Payload)? {
    var streams: [String] = []
    var function: String?
    var payload = RxTable.Payload.string
    for argument in arguments.flatMap(Self.opened) {
      if let text = argument["fn"]?.string {
        guard let lambda = RxTable.lambda(text, payload) else { return fail(text) }
        function = lambda
      } else if let (text, kind) = stream(argument) {
        streams.append(text)
        payload = kind
      } else {
        return nil
      }
    }
    let names = (0..<streams.count).map { "v\($0)" }
    let isPair = streams.count == 2
    // Without a function JavaScript makes a list; ours of two sources is a tuple, which is written the same.
    let body =
      function == nil
      ? (isPair ? "(v0, v1)" : "[\(names.joined(separator: ", "))]") : "make(\(names.joined(separator: ", ")))"
    if let function { definitions.append("make\(function.makeParameters)") }
    if name == "zip" {
      let zipped =
        isPair ? "zip(\(streams[0]), \(streams[1]))" : "zip(zip(\(streams[0]), \(streams[1])), \(streams[2]))"
      let pattern = isPair ? "(v0, v1)" : "((v0, v1), v2)"
      return ("(\(zipped) |> map(p => match p { \(pattern) => \(body) }))", .other)
    }
    let held = streams.map { "(\($0) |> map(x => Some(x)) |> hold(None))" }
    let somes = names.map { "Some(\($0))" }.joined(separator: ", ")
    let both = "match (\(held.joined(separator: ", "))) { (\(somes)) => Some(\(body)); _ => None }"
    return ("(changes(\(both)) |> filterMap(x => x))", .other)
  }

  /// Streams given as a list or as an object.
  private static func opened(_ argument: JSON) -> [JSON] {
    if let list = argument["$list"]?.array { return list }
    if case .object(let members)? = argument["$obj"] { return members.map(\.value) }
    return [argument]
  }

  private mutating func method(_ name: String, _ on: JSON, _ arguments: [JSON]) -> (String, RxTable.Payload)? {
    switch name {
    case "combineLatest", "combineLatestWith", "zip", "zipWith":
      return several(name.hasPrefix("zip") ? "zip" : "combineLatest", [on] + arguments)
    case "combineLatestAll", "zipAll":
      return several(name == "zipAll" ? "zip" : "combineLatest", (on["args"]?.array ?? []) + arguments)
    case "concatAll", "mergeAll":
      let inner = on["args"]?.array?.flatMap { $0["$list"]?.array ?? [$0] } ?? []
      return inner.count == 1 ? stream(inner[0]) : fail(name)
    case "race", "raceWith": return race([on] + list(arguments))
    default: break
    }
    // A function of an object of streams takes them one by one.
    if name == "map", arguments.first?["fn"]?.string == "({ a, b }) => '' + a + b" {
      return several("combineLatest", (on["args"]?.array ?? []) + [JSON("{\"fn\": \"(a, b) => '' + a + b\"}") ?? .null])
    }
    guard let (text, payload) = stream(on) else { return nil }
    return table(name, text, payload, arguments)
  }

  /// An operator of the table; a function among its arguments becomes `test`.
  private mutating func table(
    _ name: String, _ on: String, _ payload: RxTable.Payload, _ arguments: [JSON]
  ) -> (String, RxTable.Payload)? {
    var name = name
    var texts: [String] = []
    var payload = payload
    for argument in arguments {
      if let function = argument["fn"]?.string {
        if let special = Self.special[name + " " + function] {
          return apply(special, on, [], .other)
        }
        guard let lambda = RxTable.lambda(function, payload) else { return fail(function) }
        texts.append("(\(lambda))")
        if name == "distinctUntilChanged" { name = "distinctUntilChangedBy" }
        if name == "first" { name = "firstWhere" }
      } else if let (text, _) = argument["obs"] == nil ? nil : stream(argument) {
        texts.append(text)
      } else if let each = argument["each"] ?? argument["first"] {
        if argument["first"] != nil { name = "timeoutFirst" }
        texts.append(literal(each) ?? "")
      } else if name == "take", let count = argument.string {
        texts.append(count)
      } else {
        texts.append(literal(argument) ?? "")
      }
    }
    switch name {
    case "pluck":
      texts = arguments.compactMap(\.string)
      return ("(\(on) |> map(x => x.\(texts.joined(separator: "."))))", .other)
    case "distinctUntilKeyChanged":
      guard let key = arguments.first?.string else { return nil }
      if arguments.count > 1 {
        definitions.append("same\(texts[1] == "(_ => true)" ? "(_, _) = true" : "(_, _) = false")")
      } else {
        definitions.append("same(x, y) = x.\(key) == y.\(key)")
      }
      return apply("distinctUntilChangedBy", on, [], payload)
    case "distinctUntilChangedBy":
      let lambda = texts.first ?? ""
      definitions.append(
        lambda == "(_ => true)"
          ? "same(_, _) = true"
          : (lambda == "(_ => false)" ? "same(_, _) = false" : "same(x, y) = \(lambda)(x, y)"))
    case "distinct" where !texts.isEmpty:
      let key = texts[0]
      return (
        "(\(on) |> scan({seen: [], new: None}, (s, x) => if contains(s.seen, \(key)(x)) then {...s, new: None} else {seen: s.seen ++ [\(key)(x)], new: Some(x)}) |> filterMap(.new))",
        payload
      )
    case "bufferTime" where arguments.count > 1 && arguments[1].int != nil:
      return (
        "sample(window(\(on), \(texts[0])ms), every(\(texts[1])ms) |> delay(\((Int(texts[0]) ?? 0) - (Int(texts[1]) ?? 0))ms))",
        .other
      )
    default: break
    }
    if ["map", "pluck"].contains(name) { payload = .other }
    return apply(name, on, texts, payload)
  }

  /// Functions that also take the index, or whose result is an object.
  private static let special = [
    "first (_, i) => i === 2": "firstIndex",
    "skipWhile (_v, index) => index < 2": "skipWhileIndex",
    "takeWhile (value, index) => index < 2": "takeWhileIndex",
    "map x => x.interval": "same", "map x => x.timestamp": "same",
    "map g => g.key": "same",
    "tap () => { }": "tap",
  ]

  private mutating func apply(
    _ name: String, _ on: String, _ arguments: [String], _ payload: RxTable.Payload
  ) -> (String, RxTable.Payload)? {
    if name == "same" {
      // `timestamp() |> map(x => x.timestamp)`; a group of ours is its key already.
      if on.contains("timestamp:") { return ("(\(on) |> map(.timestamp))", .int) }
      if on.contains("interval:") { return ("(\(on) |> map(.interval))", .int) }
      return (on, .string)
    }
    guard var text = RxTable.operators[name] else { return fail(name) }
    if let function = arguments.first(where: { $0.contains("=>") }) { text = text.replaced("test", with: function) }
    for (index, argument) in arguments.enumerated() {
      text = text.replaced("$\(index)", with: argument.hasPrefix("-") ? "(\(argument))" : argument)
    }
    return ("(\(text.replaced("$", with: on)))".replaced("(-1)ms", with: "0ms"), payload)
  }

  // MARK: Traces and expectations

  func trace() -> String {
    var lines: [(time: Int, text: String)] = []
    for source in json["sources"]?.array ?? [] {
      guard let name = source["name"]?.string else { continue }
      for (time, value) in occurrences(source) where time <= end {
        lines.append((time, "{\"at\": \(Double(time) / 1000), \"\(name)\": \(Self.note(value).text)}\n"))
      }
    }
    return lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element.text).joined()
  }

  private static func note(_ value: JSON) -> JSON {
    guard let parts = value["$notification"]?.array, let kind = parts.first?.string else { return value }
    return parts.count == 1 ? .string(kind) : JSON("{\"\(kind)\": \(parts[1].text)}") ?? .null
  }

  func expected() -> [(Int, JSON)] { occurrences(json["expected"] ?? .null).filter { $0.0 <= end } }
}

extension String {
  /// `(x, y) => e` as the rest of a definition: `(x, y) = e`.
  fileprivate var makeParameters: String { replaced(" => ", with: " = ") }

  func replaced(_ part: String, with other: String) -> String {
    var result = ""
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(part) {
        result += other
        rest = rest.dropFirst(part.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }
}
