// What is run on a simulated machine: a program that takes numbers and writes files, of which one knows what they must have.

import FRPBase
import FRPDifferential

/// What a file of an output has in the end.
enum Wanted {
  case lines([String])
  /// Numbers from this one on: how many is a matter of time.
  case counting(from: Int)
  /// These lines, in an order that is a matter of time.
  case anyOrder([String])
  /// Lists that are these numbers one after the other: where they are cut is a matter of time.
  case lists([Int])
  /// So many lines, of which nothing is known beforehand.
  case count(Int)

  /// What is wrong with a file; nil where nothing is. Of a run that goes on, it is the beginning.
  func problem(_ text: String, isWhole: Bool) -> String? {
    if isWhole, !text.isEmpty, !text.hasSuffix("\n") { return "its last line is cut" }
    var found = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let rest = found.removeLast()
    let wanted: [String]
    switch self {
    case .lines(let lines): wanted = lines
    case .anyOrder(let lines):
      var left = lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      for line in found {
        left[line, default: 0] -= 1
        if left[line] ?? 0 < 0 { return "line \(line.prefix(60)) comes too often" }
      }
      return isWhole && found.count < lines.count ? "it has \(found.count) lines of \(lines.count)" : nil
    case .count(let count):
      return found.count > count || isWhole && found.count < count ? "it has \(found.count) lines of \(count)" : nil
    case .counting(let first): wanted = (0...found.count).map { String(first + $0) }
    case .lists(let numbers):
      // The last list may be cut, and then says nothing that is looked at.
      let all = found.flatMap { $0.dropFirst().dropLast().split(separator: ",") }.compactMap {
        Int($0.drop { $0 == " " })
      }
      if found.contains(where: { !$0.hasPrefix("[") || !$0.hasSuffix("]") }) { return "it has a line that is no list" }
      if all != Array(numbers.prefix(all.count)) { return "its lists are not the numbers in their order" }
      return isWhole && all.count < numbers.count ? "\(numbers.count - all.count) numbers are missing" : nil
    }
    for (place, line) in found.enumerated() {
      if place >= wanted.count { return "line \(place + 1) is too much: \(line.prefix(60))" }
      if line != wanted[place] { return "line \(place + 1) is \(line.prefix(60)) and not \(wanted[place].prefix(60))" }
    }
    if case .counting = self {
      return wanted[found.count].hasPrefix(rest) ? nil : "its last line is \(rest.prefix(60))"
    }
    if isWhole, found.count < wanted.count { return "it has \(found.count) lines of \(wanted.count)" }
    if !rest.isEmpty, found.count >= wanted.count || !wanted[found.count].hasPrefix(rest) {
      return "line \(found.count + 1) begins with \(rest.prefix(60))"
    }
    return nil
  }
}

struct Scenario {
  var name: String
  var program: String
  /// The lines of the input `x`, for numbers from 1 on.
  var lines: [String]
  enum Way: String {
    case file, pipe
    /// Who sends them hears which were taken, and sends the others again.
    case sender
  }
  var way: Way
  /// What each output has, of the numbers that were taken.
  var wanted: @Sendable ([Int]) -> [(output: String, wanted: Wanted)]

  /// One that is storing has a database, unless it is long.
  init(_ random: inout Random, isStoring: Bool) {
    // A long run is one whose state is kept on the way. Most are short: what goes wrong does so at a call, and each costs time.
    let count = random.oneIn(100) ? random.within(20_500...24_000) : random.within(1...(random.oneIn(4) ? 300 : 40))
    way = count > 1_000 ? .file : random.pick([.file, .file, .pipe, .sender])
    lines = (1...count).map(String.init)
    switch isStoring && count < 1_000 ? 16 : random.below(count < 1_000 ? 16 : 11) {
    case 0...3: (name, program, wanted) = Self.sums
    case 8...10 where count >= 1_000, 14...15: (name, program, wanted) = Self.motion
    case 4...5: (name, program, wanted) = Self.keys
    case 6...7: (name, program, wanted) = Self.lists
    case 8...11: (name, program, wanted) = Self.calls
    case 16: (name, program, wanted) = Self.stores
    default:
      if way == .sender { way = .pipe }
      (name, program, wanted) = Self.texts
      let isLarge = random.oneIn(8)
      lines = (1...(isLarge ? random.within(20...60) : count)).map { number in
        let size = isLarge ? random.within(60_000...200_000) : random.within(0...3_000)
        return "\"\(number) \(String(repeating: "abcdefghij", count: size / 10))\""
      }
    }
    if way == .sender {
      program = program.replacing("input x: Event<Int>", with: "input x: Event<Int> from Shop.orders(\"main\")")
    }
  }

  private typealias Shape = (
    name: String, program: String, wanted: @Sendable ([Int]) -> [(output: String, wanted: Wanted)]
  )

  private static let sums: Shape = (
    "sums",
    """
    input x: Event<Int>
    output took = x
    output sum = x |> scan(0, (s, v) => s + v)
    output evens = x |> filter(v => v % 2 == 0) |> scan([], (list, v) => take([v, ...list], 3)) |> map(l => "{l}")
    output late = x |> filter(v => v % 5 == 0) |> delay(15ms)
    output ticks = every(7ms) |> scan(0, (n, _) => n + 1)
    output level = floor(time * 20.0)
    """,
    { taken in
      var sums: [String] = []
      _ = taken.reduce(0) { sum, value in
        sums.append(String(sum + value))
        return sum + value
      }
      let evens = taken.filter { $0.isMultiple(of: 2) }
      let newest = evens.indices.map { evens[...$0].suffix(3).reversed() }
      return [
        ("took", .lines(taken.map(String.init))), ("sum", .lines(sums)),
        ("evens", .lines(newest.map { "[\($0.map(String.init).joined(separator: ", "))]" })),
        ("late", .lines(taken.filter { $0.isMultiple(of: 5) }.map(String.init))), ("ticks", .counting(from: 1)),
        ("level", .counting(from: 0)),
      ]
    }
  )

  private static let keys: Shape = (
    "keys",
    """
    input x: Event<Int>
    output took = x
    output own = x |> keyed(v => v % 7, (_, own) => own |> scan(0, (s, v) => s + v))
    counts = x |> countBy(v => v % 13)
    output sizes = x |> filter(v => v % 3 == 0) |> map(_ => size(counts))
    """,
    { taken in
      var (sums, seen): ([Int: Int], Set<Int>) = ([:], [])
      var (own, sizes): ([String], [String]) = ([], [])
      for value in taken {
        sums[value % 7, default: 0] += value
        own.append(String(sums[value % 7] ?? 0))
        if value.isMultiple(of: 3) { sizes.append(String(seen.count)) }
        seen.insert(value % 13)
      }
      return [("took", .lines(taken.map(String.init))), ("own", .lines(own)), ("sizes", .lines(sizes))]
    }
  )

  private static let lists: Shape = (
    "lists",
    """
    input x: Event<Int>
    output took = x
    output lists = x |> batch(merge(every(3ms), end)) |> filter(l => size(l) > 0)
    output pairs = x |> pairwise |> map((a, b) => b - a)
    """,
    { taken in
      [
        ("took", .lines(taken.map(String.init))), ("lists", .lists(taken)),
        ("pairs", .lines(zip(taken, taken.dropFirst()).map { String($1 - $0) })),
      ]
    }
  )

  /// Between the numbers of two sorts of calls.
  static let offset = 1_000_000

  private static let calls: Shape = (
    "calls",
    """
    input x: Event<Int>
    output took = x
    each = x |> perform(All, n => Shop.ask(n))
    output answers = each.results |> filterMap(ok)
    queue = x |> perform(Queue, n => Shop.ask(n + \(offset)))
    output ordered = queue.results |> filterMap(ok)
    output sum = each.results |> filterMap(ok) |> scan(0, (s, v) => s + 1)
    """,
    { taken in
      [
        ("took", .lines(taken.map(String.init))), ("answers", .anyOrder(taken.map { String(10 * $0) })),
        ("ordered", .lines(taken.map { String(10 * ($0 + offset)) })),
        ("sum", .lines(taken.indices.map { String($0 + 1) })),
      ]
    }
  )

  static let storing = "stores"

  /// What is kept in a database is kept once, whatever becomes of the process.
  private static let stores: Shape = (
    storing,
    """
    input x: Event<Int>
    output took = x
    each = x |> perform(All, n => Shop.keep(n))
    output kept = each.results
    queue = x |> perform(Queue, n => Shop.keep(n + \(offset)))
    output ordered = queue.results
    """,
    { taken in
      [
        ("took", .lines(taken.map(String.init))), ("kept", .count(taken.count)), ("ordered", .count(taken.count)),
      ]
    }
  )

  /// What moves is at each moment what it was, to the last bit, whoever computes it.
  private static let motion: Shape = (
    "motion",
    """
    input x: Event<Int>
    output took = x
    turns = when(y > 0.25)
    y = integralFrom(cos(30.0 * time) * 9.0 - 3.0 * y, 0.0, turns |> map(_ => 0.2))
    z = integral(y * sin(y))
    output seen = x |> filter(v => v % 7 == 0) |> map(_ => (y, z))
    output speed = x |> filter(v => v % 11 == 0) |> map(_ => z)
    """,
    { taken in
      [
        ("took", .lines(taken.map(String.init))), ("seen", .count(taken.count { $0.isMultiple(of: 7) })),
        ("speed", .count(taken.count { $0.isMultiple(of: 11) })),
      ]
    }
  )

  private static let texts: Shape = (
    "texts",
    """
    input x: Event<String>
    output took = x |> map(t => split(t, " ") |> head |> withDefault(""))
    output newest = x |> scan("", (_, t) => t) |> map(t => split(t, " ") |> head |> withDefault(""))
    kept = x |> fold([], (list, t) => take([t, ...list], 3))
    output held = x |> map(_ => size(kept))
    """,
    { taken in
      let numbers = taken.map(String.init)
      return [
        ("took", .lines(numbers)), ("newest", .lines(numbers)),
        ("held", .lines(taken.indices.map { String(min(3, $0)) })),
      ]
    }
  )
}
