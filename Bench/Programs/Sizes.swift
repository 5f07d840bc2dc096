// What grows: live nodes, long chains, large programs, updates of a few nodes among many.

import CMeasure
import FRP
import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime
import Glibc

/// One number, and what it must not exceed.
struct Size {
  var title: String
  var value: Double
  var unit: String
  var must: Double?
  /// What went wrong, if the result is not even right.
  var problem: String?

  var verdict: String {
    if problem != nil { return "WRONG" }
    guard let must else { return "" }
    return value < must ? "reached" : "missed"
  }
}

enum Sizes {
  /// All of them; `isQuick` leaves out what takes seconds.
  static func all(isQuick: Bool) throws -> [Size] {
    var sizes = try liveNodes(groups: 100_000, operators: 10) + liveNodes(groups: 333_333, operators: 3)
    sizes += try chain(isQuick ? 10_000 : 100_000)
    sizes += try update()
    sizes += try definitions(10_000, must: 1)
    if !isQuick { sizes += try definitions(100_000, must: 12) }
    return sizes
  }

  // MARK: Live nodes

  /// Groups of a few operators each, made by occurrences with new keys.
  private static func liveNodes(groups: Int, operators: Int) throws -> [Size] {
    // Sums, since maps would be fused into one node; the group's own event is a node, too.
    let sums = (1..<operators).map { _ in "|> scan(0, (sum, n) => sum + n)" }.joined(separator: " ")
    let text = """
      input e: Event<Int>
      output total = e |> keyed(k => k, (k, own) => own \(sums))

      """
    let bytesBefore = residentBytes()
    let work = try FedProgram(text, .one, .sumOfInts)
    let start = processorTime()
    work.take(groups)
    let seconds = processorTime() - start
    let nodes = work.reactor.liveNodes
    let resident = Double(residentBytes() - bytesBefore) / Double(nodes)
    let expected = (0..<groups).reduce(0) { $0 + Double($1) }
    let problem = work.result == expected && nodes >= 900_000 ? nil : "\(work.result), \(nodes) nodes"
    let name = "\(grouped(Double(nodes), decimals: 0)) live nodes in groups of \(operators)"
    return [
      Size(title: name + ": memory of the process a node", value: resident, unit: "bytes", must: 100, problem: problem),
      Size(title: name + ": built in", value: seconds, unit: "s", must: 1),
    ]
  }

  private static func residentBytes() -> Int {
    let words = contents(of: "/proc/self/statm").map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
  }

  // MARK: Chains

  private static func chain(_ length: Int) throws -> [Size] {
    let name = "chain of \(grouped(Double(length), decimals: 0)) operators"
    var sizes: [Size] = []
    for (kind, text) in [("maps", Workload.longChain(length)), ("behaviors", steps(length))] {
      let start = processorTime()
      let work = try FedProgram(text, .one, .lastInt)
      let seconds = processorTime() - start
      work.take(10)
      let before = processorTime()
      work.take(10)
      let event = (processorTime() - before) / 10
      let problem = work.result == Double(19 + length) ? nil : "\(work.result)"
      sizes.append(Size(title: "\(name) (\(kind)): an event", value: event * 1e6, unit: "µs", problem: problem))
      sizes.append(Size(title: "\(name) (\(kind)): made in", value: seconds, unit: "s"))
    }
    return sizes
  }

  private static func steps(_ length: Int) -> String {
    var text = "input x0: Behavior<Int> = -1\n"
    for index in 1..<length { text += "x\(index) = x\(index - 1) + 1\n" }
    return text + "output last = x\(length - 1) + 1\n"
  }

  // MARK: Updates

  /// Ten nodes on each of n / 10 inputs; what a change of one input costs must not depend on n.
  private static func update() throws -> [Size] {
    var times: [Double] = []
    let sizes = [1_000, 30_000]
    var problem: String?
    for nodes in sizes {
      let inputs = nodes / 10
      let work = try FedProgram(ladders(inputs), .ints(inputs), .lastInt)
      work.take(inputs)
      var blocks: [Double] = []
      for _ in 0..<7 {
        let start = processorTime()
        work.take(20_000)
        blocks.append((processorTime() - start) / 20_000 * 1e9)
      }
      times.append(Spread(blocks).least)
      if work.result != Double(work.next - 1 + 10) { problem = "\(work.result)" }
    }
    return [
      Size(
        title: "update of 10 nodes: among 30,000 / among 1,000 (\(shown(times[1])) / \(shown(times[0])) ns)",
        value: times[1] / times[0], unit: "times", must: 2, problem: problem)
    ]
  }

  private static func ladders(_ inputs: Int) -> String {
    var text = ""
    for input in 0..<inputs {
      text += "input x\(input)_0: Event<Int>\n"
      for step in 1..<10 {
        text += "x\(input)_\(step) = x\(input)_\(step - 1) |> map(n => n + 1) |> filter(n => n > 0)\n"
      }
      text += "output x\(input) = x\(input)_9 |> map(n => n + 1)\n"
    }
    return text
  }

  // MARK: Definitions

  private static func definitions(_ count: Int, must: Double) throws -> [Size] {
    let text = manyDefinitions(count)
    let start = processorTime()
    let program = Program(Source(name: "bench", text: text))
    let compiled = processorTime() - start
    let problem = program.diagnostics.first { $0.severity == .error }?.title
    let simulation = problem == nil ? try Simulation(program) : nil
    simulation?.start()
    let started = processorTime() - start - compiled
    let name = "\(grouped(Double(count), decimals: 0)) definitions"
    return [
      Size(title: name + ": checked and planned in", value: compiled, unit: "s", must: must, problem: problem),
      Size(title: name + ": started in", value: started, unit: "s"),
    ]
  }

  /// Definitions of many kinds, each of which uses some that stand not far above it.
  static func manyDefinitions(_ count: Int) -> String {
    var text = "input e0: Event<Int>\ninput b0: Behavior<Int> = 0\n"
    for index in 1...count / 8 {
      let (last, far) = (index - 1, max(0, index - 7))
      text += """
        f\(index)(x, y) = if x > y then x - y else x + \(index % 100)
        g\(index)(p) = {x: p.y, y: f\(index)(p.x, p.y)}
        e\(index) = e\(far) |> filter(n => n % \(index % 7 + 2) != 0) |> map(n => f\(index)(n, b\(far)))
        c\(index) = e\(index) |> fold(0, (sum, n) => (sum + n) % 1000)
        b\(index) = (b\(last) + c\(index)) % 1000
        r\(index) = g\(index)({x: b\(index), y: c\(index)})
        output s\(index) = "{r\(index).x} of {r\(index).y}"
        output m\(index) = merge(e\(index), e\(last)) |> map(n => [n, r\(index).y])

        """
    }
    return text
  }
}

extension Table {
  mutating func add(_ size: Size) {
    let problem = size.problem.map { ": \($0)" } ?? ""
    add(
      [size.title, size.unit, shown(size.value), size.must.map(shown) ?? "", size.verdict + problem],
      json: [
        ("title", quoted(size.title)), ("value", plain(size.value)), ("unit", quoted(size.unit)),
        ("must", size.must.map(plain) ?? "null"), ("verdict", quoted(size.verdict)),
      ])
  }
}
