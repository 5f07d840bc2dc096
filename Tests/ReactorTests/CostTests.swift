// What built-ins and operators cost at n and at ten times n: none of them takes time that grows as the square. The rows
// come from the table of built-ins, so that a new one has a row from the start; what has none is listed with the reason.
//
// A row's cost is the processor time of this thread, the least of a few tries. A linear routine takes 10 times as long,
// one of n log n about 13 times, a quadratic one 100 times; caches and a busy machine are worth a factor of two.

import FRPCore
import FRPRuntime
import Glibc
import Testing

@Suite(.serialized) struct CostTests {
  static let most = 40.0

  /// Rows that the generator cannot write, by what they are called, with what is measured instead.
  static let special = [
    "String.repeat": #"String.repeat("ab", n)"#,
    "String.split": #"String.split(String.repeat("ab ", n), " ")"#,
    "String.replace": #"String.replace(String.repeat("ab ", n), "b", "cc")"#,
    "List.windows": "List.windows(1..n, 3)",
    "List.product": "List.product(List.repeat(1, n))",
    "Json.encode": "Json.encode(1..n)",
    "Json.of": "Json.of(1..n)",
    "Json.as": "Json.as(Json.of(1..n)) |> withDefault([0])",
    "Json.at": #"Json.at(Json.of(1..n), ["0"])"#,
    "Json.text": "Json.text(Json.of(1..n))", "Json.int": "Json.int(Json.of(1..n))",
    "Json.float": "Json.float(Json.of(1..n))", "Json.bool": "Json.bool(Json.of(1..n))",
    "Json.list": "Json.list(Json.of(1..n))", "Json.object": "Json.object(Json.of(1..n))",
    "List.quantile": "List.quantile(List.map(1..n, toFloat), 0.3)",
    "Json.decode": "Json.decode(Json.encode(1..n)) |> withDefault([0])",
    "Data.toString": "toString(1..n)",
    "Data.compare": "compare(1..n, 1..n)",
    "Data.identity": "identity(1..n)",
    "Regex.replaceWith": #"Regex.replaceWith(String.repeat("ab ", n), "b", m => m.text)"#,
    "Csv.encode": "Csv.encode(1..n |> List.map(i => {x: i}))",
    "Csv.decode": "Csv.decode(Csv.encode(1..n |> List.map(i => {x: i}))) |> withDefault([{x: 0}])",
    "Random.ints": "Random.ints(1, n, 1, 6)",
    "Random.floats": "Random.floats(1, n)",
    "Random.shuffle": "Random.shuffle(1..n, 1)",
    "Event.perform": "(e |> perform(All, x => Task.after(1.0 + toFloat(x) * 0.01, x))).results |> count",
    "Event.spill": "e |> map(x => [x, x]) |> spill |> count",
    "Event.merge": "merge(e, e, e) |> count",
    "Event.partition": "{ (a, b) = e |> partition(x => x > 5); merge(a, b) |> count }",
    "Event.flatMap": "e |> flatMap(x => after(1h) |> map(_ => x)) |> count",
    "Event.flatMapLatest": "e |> flatMapLatest(x => after(1h) |> map(_ => x)) |> count",
    "Event.switch": "e |> switch(0, x => e |> hold(x))",
    "Event.keyed": "e |> keyed(x => x, (k, es) => es |> delay(1h)) |> count",
    "Event.groupBy": "size(e |> groupBy(x => x, (k, es) => es |> count))",
    "Behavior.integralFrom": "integralFrom(1.0, 0.0, e |> map(toFloat))",
  ]

  /// Operators of which one instant may look at all that is alive, or that no input reaches.
  static let unmeasured = [
    "Behavior.each": "a change looks at every member of the list",
    "Event.every": "takes no collection and keeps none", "Event.after": "takes no collection and keeps none",
  ]

  /// Containers whose functions take no collection.
  static let unmeasuredContainers = [
    "Format": "texts of numbers are short", "Date": "texts of dates are short", "Math": "takes numbers",
    "Task": "describes what is to be done: see manyPartsOfATask",
  ]

  // MARK: Rows

  struct Row {
    var name: String
    var text: String
    var isReactive: Bool
  }

  /// The rows of the table, and those that have none and no reason.
  static func rows() -> (rows: [Row], missing: [String]) {
    var rows: [Row] = []
    var missing: [String] = []
    for builtin in Builtins.all {
      let name = "\(builtin.container).\(builtin.name)"
      if unmeasured[name] != nil || unmeasuredContainers[builtin.container] != nil { continue }
      let signature = Signature(builtin.signature)
      if case .data = builtin.operation {
        if let text = special[name] {
          rows.append(Row(name: name, text: text, isReactive: false))
        } else if !signature.parameters.isEmpty, signature.takesCollections {
          guard let text = signature.call(name, isReactive: false) else {
            missing.append("\(name) \(builtin.signature)")
            continue
          }
          rows.append(Row(name: name, text: text, isReactive: false))
        }
      } else if let text = special[name] {
        rows.append(Row(name: name, text: text, isReactive: true))
      } else if !signature.parameters.isEmpty {
        guard let text = signature.call(name, isReactive: true) else {
          missing.append("\(name) \(builtin.signature)")
          continue
        }
        let isEvent = signature.result.name == "Event"
        rows.append(Row(name: name, text: isEvent ? text + " |> count" : text, isReactive: true))
      }
    }
    return (rows, missing)
  }

  @Test func everyBuiltinHasARow() {
    let (rows, missing) = Self.rows()
    #expect(missing.isEmpty, "no row and no reason: \(missing)")
    #expect(rows.count > 150, "\(rows.count)")
  }

  @Test func dataIsNotQuadratic() { check(Self.rows().rows.filter { !$0.isReactive }, 1_000) }

  @Test func operatorsAreNotQuadratic() { check(Self.rows().rows.filter(\.isReactive), 500) }

  /// What n uses of a collection that grows cost: the ways in which lists, maps and texts are built one by one.
  @Test func building() {
    let texts = [
      "fold(1..n, [], (l, x) => l ++ [x]) |> size",
      "fold(1..n, Map.empty, (m, x) => Map.set(m, x * 7919 % n, x)) |> size",
      "fold(1..n, 1..n, (l, x) => List.drop(l, 1)) |> size",
      "fold(1..n, 1..n |> List.map(i => (i, i)) |> Map.fromList, (m, x) => Map.remove(m, x)) |> size",
      "fold(1..n, (0, Map.empty), ((s, m), x) => (s + Map.getOr(m, x - 1, 0), Map.set(m, x, x % 7))) |> Tuple.first",
      #"Regex.findAll(String.repeat("a", n), "a*b|a") |> size"#,
      #"Regex.findAll(String.repeat("a", n), "a*?b|a") |> size"#,
      #"1..n |> List.map(i => Regex.find("line {i} x", "(\\w+) (\\d+) (\\w)")) |> size"#,
      #"List.map(1..n, i => "a") |> String.join("") |> String.size"#,
      #"List.map(1..n, i => "key {i % 20000}") |> List.countBy(k => k) |> size"#,
      #"Csv.decode(Csv.encode(1..n |> List.map(i => {k: i % 50, v: i}))) |> withDefault([{k: 0, v: 0}])"#
        + " |> List.groupBy(r => r.k) |> size",
      "1..n |> List.map(i => [i, i]) |> List.distinct |> size",
      "(1..n |> List.map(i => [i])) == (1..n |> List.map(i => [i]))",
    ]
    check(texts.map { Row(name: "\($0.prefix(60))", text: $0, isReactive: false) }, 1_000)
  }

  /// Everything of one instant: its occurrences, new groups among them.
  @Test func oneInstant() {
    let texts = [
      "keyed(x => x, (k, es) => es) |> count", "groupBy(x => x, (k, es) => es |> count) |> Map.size",
      "groupBy(x => x % 100, (k, es) => es |> count) |> Map.size", "flatMap(x => after(1h)) |> count",
      "window(1h) |> size",
      "delay(1h) |> count", "buffer(10) |> count", "distinct |> count", "map(x => (x, 1)) |> pairwise |> count",
    ]
    check(
      texts.map { Row(name: "spill |> \($0)", text: "go |> map(n => 1..n) |> spill |> \($0)", isReactive: false) }, 500)
  }

  /// Windows that slide: something comes and something goes at each instant; equal values, too.
  @Test func sliding() {
    let texts = [
      "e |> window(300ms) |> size", "e |> map(_ => ()) |> window(300ms) |> changes |> count",
      "e |> map(x => x % 2) |> window(300ms) |> changes |> count",
      "e |> map(_ => [1, 2]) |> window(300ms) |> changes |> count",
    ]
    check(
      texts.map { text in
        Row(name: text, text: text.replacing("300ms", with: "toFloat(WIDTH) * 0.0005"), isReactive: true)
      }, 500)
  }

  /// Aggregates of a window, at each change, and of lists that grow: what has come and gone, not what is in it.
  @Test func aggregatesOfWindows() {
    let parts = [
      "sum", "map(toFloat) |> sum", "map(toFloat) |> mean", "map(x => toFloat(x) * 0.1) |> variance",
      "map(toFloat) |> median", "map(x => toFloat(x % 97)) |> quantile(0.9)", "map(x => x % 97) |> minimum", "maximum",
      "topBy(5, x => x % 97)", "map(x => \"{x}\") |> size", "size",
    ]
    let texts =
      parts.flatMap { ["e |> window(1h) |> \($0)", "e |> window(toFloat(WIDTH) * 0.0005) |> \($0)"] } + [
        "e |> fold([], (l, x) => l ++ [x]) |> sum",
        "e |> summary(1h, x => (x, x), ((a, b), (c, d)) => (a + c, max(b, d)))",
        "e |> groupUntil(x => x, (k, es) => (es |> count, es |> delay(10ms))) |> Map.size",
        "e |> keyedUntil(x => x, (k, es) => (es, es |> delay(10ms))) |> count",
        "e |> countBy(x => x * 7919 % WIDTH) |> Map.size",
        "merge(e, e |> map(x => x - 1)) |> countBy(x => x) |> Map.size",
        "e |> sumBy(x => x % 1000, x => x) |> Map.size",
      ]
    check(texts.map { Row(name: $0, text: $0, isReactive: true) }, 2_000)
  }

  /// A task of many parts ends from its last to its first, and many tasks end in one instant.
  @Test func manyPartsOfATask() {
    let texts = [
      "(e |> take(1) |> perform(All, _ => Task.all(1..WIDTH |> List.map(i => Task.after(toFloat(WIDTH + 1 - i), i)))))"
        + ".results |> count",
      "(e |> perform(All, x => Task.after(3600.0, x))).results |> count",
      "(e |> perform(Queue, x => Task.after(0.0001, x))).results |> count",
      "(e |> keyed(x => x, (k, es) => (es |> perform(All, x => Task.after(3600.0, x))).results)) |> count",
    ]
    check(texts.map { Row(name: $0, text: $0, isReactive: true) }, 300)
  }

  // MARK: Measuring

  private func check(_ rows: [Row], _ size: Int) {
    for row in rows {
      var least = [Double.infinity, Double.infinity]
      for _ in 0..<3 {
        for (index, count) in [size, 10 * size].enumerated() {
          guard let cost = cost(of: row, count) else { break }
          least[index] = min(least[index], cost)
        }
        if least[1] < Self.most * least[0] { break }
      }
      #expect(
        least[1] < Self.most * least[0],
        "\(row.name): \(row.text) takes \(least[0] * 1000) ms at \(size), \(least[1] * 1000) ms at \(10 * size)")
    }
  }

  /// Seconds of this thread; nil where a program does not run.
  private func cost(of row: Row, _ count: Int) -> Double? {
    let input = row.isReactive ? "input e: Event<Int>\n" : "input go: Event<Int>\n"
    let isWhole = row.isReactive || row.text.contains("go |>")
    let text = row.text.replacing("WIDTH", with: "\(count)")
    guard let session = Session(input + "output r = " + (isWhole ? text : "go |> map(n => \(text))") + "\n") else {
      return nil
    }
    session.reactor.checksInvariants = false
    session.reactor.observer = nil
    var faults: [String] = []
    session.reactor.faultObserver = { faults.append($0.fault.text) }
    session.reactor.start()
    let before = Self.seconds
    if row.isReactive {
      for number in 1...count {
        session.reactor.advance(to: Int64(number) * 1_000_000)
        session.reactor.send(port: 0, Word(int: number))
      }
      session.reactor.advance(to: 3 * 3600 * 1_000_000_000)
    } else {
      session.reactor.send(port: 0, Word(int: count))
    }
    let after = Self.seconds
    if let fault = faults.first {
      Issue.record("\(row.text): \(fault)")
      return nil
    }
    return after - before
  }

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

// MARK: Signatures

/// A type as the table writes it.
private struct TypeText {
  /// `List`, `Int`, a variable, `->` with the result last, `()` with the parts of a tuple.
  var name: String
  var parts: [TypeText] = []
}

/// A signature of the table, and a call of it with arguments of size `n`.
private struct Signature {
  var parameters: [TypeText] = []
  var result = TypeText(name: "()")
  private var text: Substring

  init(_ signature: String) {
    text = (signature.split(separator: " => ").last ?? "")[...]
    let type = parse()
    if type.name == "->" {
      parameters = Array(type.parts.dropLast())
      result = type.parts[type.parts.count - 1]
    } else {
      result = type
    }
  }

  private mutating func passes(_ sign: String) -> Bool {
    while text.first == " " { text.removeFirst() }
    guard text.hasPrefix(sign) else { return false }
    text.removeFirst(sign.count)
    return true
  }

  private mutating func parse() -> TypeText {
    _ = passes("=")
    if passes("(") {
      var parts: [TypeText] = []
      while !passes(")") {
        parts.append(parse())
        if passes("...") {}
        _ = passes(",")
        if text.isEmpty { break }
      }
      if passes("->") { return TypeText(name: "->", parts: parts + [parse()]) }
      return parts.count == 1 ? parts[0] : TypeText(name: "()", parts: parts)
    }
    while text.first == " " { text.removeFirst() }
    let name = String(text.prefix { $0.isLetter })
    text.removeFirst(min(max(1, name.count), text.count))
    var parts: [TypeText] = []
    if passes("<") {
      while !passes(">") {
        parts.append(parse())
        _ = passes(",")
        if text.isEmpty { break }
      }
    }
    return TypeText(name: name, parts: parts)
  }

  /// Whether its cost can depend on how much there is in what it takes or gives.
  var takesCollections: Bool {
    (parameters + [result]).contains { ["List", "Map", "Set", "String", "Json"].contains($0.name) }
  }

  /// A call by its full name; nil where there is no value of a type.
  func call(_ name: String, isReactive: Bool) -> String? {
    var texts: [String] = []
    for parameter in parameters {
      let isPattern = parameter.name == "String" && !texts.isEmpty
      guard let text = isReactive ? live(parameter) : isPattern ? #""b""# : large(parameter) else { return nil }
      texts.append(text)
    }
    return "\(name)(\(texts.joined(separator: ", ")))"
  }

  /// A value of which there is much.
  private func large(_ type: TypeText) -> String? {
    switch type.name {
    case "Int": return "div(n, 2)"
    case "Float": return "toFloat(n)"
    case "String": return #"String.repeat("ab ", n)"#
    case "Bool": return "(n > 0)"
    case "List": return small(type.parts[0], "i").map { "List.map(1..n, i => \($0))" }
    case "Set": return "Set.fromList(1..n)"
    case "Map":
      guard let key = small(type.parts[0], "i"), let value = small(type.parts[1], "i") else { return nil }
      return "Map.fromList(List.map(1..n, i => (\(key), \(value))))"
    case "->": return function(type)
    case let name where name.first?.isLowercase == true: return "n"
    case "Option": return large(type.parts[0]).map { "Some(\($0))" }
    case "Result": return large(type.parts[0]).map { "Ok(\($0))" }
    default: return nil
    }
  }

  /// A small value, made of an Int.
  private func small(_ type: TypeText, _ name: String) -> String? {
    switch type.name {
    case "Int": return name
    case "Float": return "toFloat(\(name))"
    case "String": return "toString(\(name))"
    case "Bool": return "(\(name) >= 0)"
    case "List": return small(type.parts[0], name).map { "[\($0)]" }
    case "Option": return small(type.parts[0], name).map { "Some(\($0))" }
    case "Result": return small(type.parts[0], name).map { "Ok(\($0))" }
    case "()":
      let parts = type.parts.compactMap { small($0, name) }
      return parts.count == type.parts.count ? "(\(parts.joined(separator: ", ")))" : nil
    case "Event": return "e"
    case "Behavior": return "(e |> hold(0))"
    case let variable where variable.first?.isLowercase == true: return name
    default: return nil
    }
  }

  /// A function that gives something small of its first parameter that is a number.
  private func function(_ type: TypeText) -> String? {
    let parameters = type.parts.dropLast()
    let names = parameters.indices.map { "p\($0)" }
    let result = type.parts[type.parts.count - 1]
    let list = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
    if result.name == "Option", parameters.first?.name == "Option" { return "\(list) => \(names[0])" }
    if result.name == "Bool", names.count == 2, parameters.first?.name == parameters.last?.name {
      return "\(list) => p0 < p1"
    }
    let number = parameters.firstIndex { $0.name == "Int" || $0.name.first?.isLowercase == true }
    if number == nil, result.name == "String" { return #"\#(list) => "x""# }
    return small(result, number.map { names[$0] } ?? "1").map { "\(list) => \($0)" }
  }

  /// What an operator takes.
  private func live(_ type: TypeText) -> String? {
    switch type.name {
    case "Event":
      guard let element = type.parts.first, let value = small(element, "x") else { return "e" }
      return value == "x" ? "e" : "(e |> map(x => \(value)))"
    case "Behavior":
      guard let element = type.parts.first, let value = small(element, "(e |> hold(0))") else { return nil }
      return value
    case "Float": return "1h"
    case "Int": return "1000"
    case "->": return function(type)
    case let name where name.first?.isLowercase == true: return "0"
    default: return nil
    }
  }
}
