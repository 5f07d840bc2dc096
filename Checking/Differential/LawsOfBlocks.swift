// The law of many occurrences that are sent at once: they are what they would be one after the other, whatever stops them.

import FRPCore
import FRPGraph
import FRPModel
import FRPRuntime

extension Law {
  /// `send(many:)` shows what as many sends show, faults where they fault, and says how many have happened; also where
  /// observers send from inside.
  static let blocks = Law("many at once are one after the other", section: 2) { seed in
    let program =
      switch seed % 4 {
      case 0: Generator.program(seed: seed).ported
      case 1: Regions.program(seed)
      default: straight(seed)
      }
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.trace) else {
      return .broken("does not compile: \(Compiled(program.source).problems)\n\(program.source)")
    }
    guard let each = Engine.blocks(core, trace, seed: seed, isMany: false),
      let many = Engine.blocks(core, trace, seed: seed, isMany: true)
    else { return .broken("no plan\n\(program.source)") }
    if each.taken != many.taken { return .broken("taken \(each.taken), not \(many.taken)\n\(program.source)") }
    return same(each.run, many.run) { program.source + program.trace }
  }

  /// A program whose inputs go straight to one operator each, with functions that fault for some numbers.
  private static func straight(_ seed: UInt64) -> (source: String, trace: String) {
    var random = Random(seed: seed ^ 0xB10C)
    let steps = [
      "map(x => x + \(random.below(9)))", "map(x => x * \(random.below(5)))", "filter(x => x % 3 != 0)",
      "map(x => div(720, x - \(random.below(40))))", "map(x => if x > 20 then x - 20 else x)",
      "filterMap(x => if x % 2 == 0 then Some(div(x, 2)) else None)", "map(x => x * 4611686018427387)",
    ]
    let ends = [
      "map(x => -x)", "fold(0, (s, x) => s + x)", "scan(1, (s, x) => s + div(7, x + s))",
      "fold(0, (s, x) => max(s, x))", "fold(0, (s, _) => s)", "scan(0, (s, x) => s - x)", "map(x => (x, toFloat(x)))",
      "filter(x => x > 7)",
    ]
    var source = "input e0: Event<Int>\ninput e1: Event<Int>\ninput b0: Behavior<Int> = 3\n"
    for place in 0..<2 {
      let chain = (0..<random.below(4)).map { _ in random.pick(steps) } + [random.pick(ends)]
      source += "output o\(place) = e\(place) |> \(chain.joined(separator: " |> "))\n"
    }
    source += "output o2 = \(random.pick(["b0 + 1", "div(100, b0 - 5)", "b0 * b0", "max(b0, 4)"]))\n"
    let lines = (0..<6).map { place in
      "{\"at\":\(Double(place) * 0.5),\"\(random.pick(["e0", "e1", "b0"]))\":\(random.below(50))}\n"
    }
    return (source, lines.joined())
  }
}

extension GeneratedProgram {
  fileprivate var ported: (source: String, trace: String) { (source, traceText) }
}

extension Engine {
  /// A run in which each line of a trace brings its ports many values, at once or one by one; after some of what it shows
  /// an observer sends from inside. Gives how many were taken of each block before one failed, too, and the last micro-step and the
  /// number of instants.
  static func blocks(
    _ core: CoreProgram, _ trace: [TraceLine], seed: UInt64, isMany: Bool
  ) -> (run: ModelRun, taken: [Int])? {
    guard let plan = try? Plan(core, seed % 3 == 0 ? Optimisations.all.subtracting(.directInputs) : .all) else {
      return nil
    }
    let session = session(plan)
    // Rows that go through machine code together, which lockstep would have one by one.
    if seed % 4 < 3 { session.reactor.nativeDiffers = nil }
    var random = Random(seed: seed)
    let taken = session.blocks(trace, &random, isMany: isMany)
    return (session.result, taken + [session.reactor.now.step, session.reactor.instantCount])
  }
}

extension EngineRun {
  fileprivate func blocks(_ trace: [TraceLine], _ random: inout Random, isMany: Bool) -> [Int] {
    var taken: [Int] = []
    reactor.start()
    answer(everyShown: random.below(3) == 0 ? 5 + random.below(20) : 0)
    for line in trace where !reactor.isOver {
      reactor.advance(to: Int64(line.nanoseconds))
      for (name, _) in line.values {
        guard let port = reactor.plan.inputs.firstIndex(where: { $0.name == name }) else { continue }
        let type = reactor.plan.inputs[port].type
        guard let values = numbers(of: type, &random) else { continue }
        taken += isMany ? sendMany(values, port, type) : sendEach(values, port, type)
      }
    }
    reactor.finish()
    return taken
  }

  /// After every so many lines, some numbers are sent to the first input of Ints from inside.
  private func answer(everyShown interval: Int) {
    guard interval > 0, let port = reactor.plan.inputs.firstIndex(where: { $0.type == .int }) else { return }
    reactor.observer = { [unowned self] moment, changes in
      for change in changes { show(change.output, change.value, moment.seconds) }
      let count = result.lines.count
      if count % interval == 0, count < 400 { reactor.send(port: port, Word(int: count)) }
    }
  }

  /// Numbers of a type, some of which are much alike.
  private func numbers(of type: TypeID, _ random: inout Random) -> [Word]? {
    let count = random.below(40)
    switch type {
    case .int: return (0..<count).map { _ in Word(int: random.below(60) - 5) }
    case .float: return (0..<count).map { _ in Word(float: Double(random.below(60) - 5) / 4) }
    case .bool: return (0..<count).map { _ in Word(bool: random.oneIn(2)) }
    case .unit: return (0..<count).map { _ in Word.unit }
    default: return nil
    }
  }

  /// What fails is passed over, and the rest goes on.
  private func sendMany(_ values: [Word], _ port: Int, _ type: TypeID) -> [Int] {
    var taken: [Int] = []
    values.withUnsafeBufferPointer { values in
      var place = 0
      while place < values.count {
        var count = 0
        let rest = UnsafeBufferPointer(rebasing: values[place...])
        let reception = reactor.send(port: port, many: rest, as: type, taken: &count)
        place += count + 1
        if reception == .faulted { taken.append(count) } else if reception != .taken { break }
      }
    }
    return taken
  }

  private func sendEach(_ values: [Word], _ port: Int, _ type: TypeID) -> [Int] {
    var taken: [Int] = []
    var count = 0
    for value in values {
      let reception = reactor.send(port: port, value, as: type)
      count += 1
      if reception == .faulted {
        taken.append(count - 1)
        count = 0
      } else if reception != .taken {
        break
      }
    }
    return taken
  }
}
