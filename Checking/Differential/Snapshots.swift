// Snapshots of random programs: restored they go on as if nothing had been, and changed in any way they are refused, or
// are the snapshot of some other state, in which the program runs as in any.
//
// A change keeps the form: an image is a list of numbers, of which some are replaced by others, and its hash is made
// right again. So what is behind the form is tested: indices, tags, types, references, counts.

import FRPBase
import FRPCore
import FRPGraph
import FRPModel
import FRPRuntime

package enum Snapshots {
  /// What became of the changes of one program's snapshot.
  package struct Tally {
    package var changes = 0
    /// How many of them were snapshots.
    package var taken = 0
    /// What is wrong; nil if nothing is.
    package var problem: String?
  }

  /// Snapshots in the middle of a random program's run, and `changes` of each. Where it is `settled` before, as a journal does, the
  /// restored run has the very values of the first; else what is integrated takes steps of its own there. Where something slides, how
  /// they err may decide whether a limit is touched, so these are to be settled.
  package static func check(_ program: GeneratedProgram, changes: Int, isSettled: Bool = true) -> Tally {
    var tally = Tally()
    guard let core = Compiled(program.source).core, let trace = TraceLine.parse(program.traceText),
      let plan = try? Plan(core)
    else {
      tally.problem = "does not compile"
      return tally
    }
    var random = Random(seed: program.seed ^ 0x5A)
    let run = Engine.session(plan)
    run.reactor.start()
    if run.reactor.isOver { return tally }
    let cut = trace.isEmpty ? 0 : random.below(trace.count + 1)
    run.goOn(trace[..<cut])
    if core.nodes.contains(where: \.isContinuous) {
      // In the middle of what moves.
      let now = run.reactor.now.nanoseconds
      let next = cut < trace.count ? Int64(trace[cut].nanoseconds) : now + 1_000_000_000
      run.reactor.advance(to: now + Int64(random.below(Int(max(1, next - now)))))
    }
    if isSettled { _ = try? run.reactor.settleForImage() }
    guard let image = try? run.reactor.image() else { return tally }
    let bytes = image.bytes
    tally.problem = goesOn(run, bytes, trace[cut...], core, isSettled: isSettled)
    if tally.problem != nil { return tally }
    for _ in 0..<changes {
      let mutant = changed(bytes, &random)
      tally.changes += 1
      if isTaken(mutant, plan, trace[cut...]) { tally.taken += 1 }
    }
    return tally
  }

  /// What is different when a run goes on in another engine.
  private static func goesOn(
    _ run: EngineRun, _ bytes: [UInt8], _ trace: ArraySlice<TraceLine>, _ core: CoreProgram, isSettled: Bool
  ) -> String? {
    let other = Engine.session(run.reactor.plan)
    do {
      try other.reactor.restore(try StateImage(bytes: bytes))
    } catch {
      return "its own snapshot is refused: \(error)"
    }
    if let image = try? StateImage(bytes: bytes), let again = try? other.reactor.image(), again.bytes != bytes {
      return "what was restored has another snapshot:\n\(difference(image, again))"
    }
    run.result = ModelRun()
    for one in [run, other] {
      one.goOn(trace)
      one.reactor.advance(to: one.reactor.now.nanoseconds + 2_000_000_000)
      one.showAll()
      one.reactor.finish()
    }
    // Where steps are others and something runs away, they tell.
    let isStepped = !isSettled && core.nodes.contains(where: \.isContinuous)
    if isStepped, run.result.lines.contains(where: { $0.json.contains("e+") }) { return nil }
    return Expectations.difference(
      run.result.lines, other.result.lines, tolerance: isStepped ? 1e-8 : 0, ordered: !isStepped)
  }

  /// Where two images begin to differ.
  package static func difference(_ a: StateImage, _ b: StateImage) -> String {
    let (a, b) = (Array("\(a)".unicodeScalars), Array("\(b)".unicodeScalars))
    let place = zip(a, b).prefix { $0 == $1 }.count
    func text(_ image: [Unicode.Scalar]) -> String {
      String(String.UnicodeScalarView(image[max(0, place - 300)..<min(image.count, place + 200)]))
    }
    return "\(text(a))\n\(text(b))"
  }

  // MARK: Changes

  /// The image with some of its numbers changed.
  package static func changed(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
    var numbers = Self.numbers(bytes[8..<max(8, bytes.count - 8)])
    if numbers.isEmpty { return bytes }
    for _ in 0..<random.within(1...3) { change(&numbers, &random) }
    var image = Array(bytes[..<8])
    for number in numbers { append(number, to: &image) }
    return StateImage.sealed(image)
  }

  private static func change(_ numbers: inout [UInt64], _ random: inout Random) {
    // Not the version and the program, which would only be refused.
    let place = min(numbers.count - 1, 2 + random.below(numbers.count - 2))
    let other = random.below(numbers.count)
    switch random.below(12) {
    case 0...2: numbers[place] = numbers[other]
    case 3: numbers[place] = random.pick(interesting)
    case 4: numbers[place] &+= random.pick([1, 8, .max, .max - 7])
    case 5: numbers[place] ^= 1 << UInt64(random.below(64))
    case 6: numbers.swapAt(place, other)
    case 7: numbers[place] = UInt64(random.below(64)) * 8
    case 8: numbers[place] = UInt64(random.below(12))
    case 9: numbers.insert(numbers[other], at: place)
    case 10: numbers.remove(at: place)
    default:
      let count = min(random.within(1...8), numbers.count - max(place, other))
      for index in 0..<count { numbers[place + index] = numbers[other + index] }
    }
    if numbers.isEmpty { numbers = [0] }
  }

  private static let interesting: [UInt64] = [
    0, 1, 2, 3, 4, 7, 8, 16, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max, .max - 1, UInt64(Int64.max),
    Double.nan.bitPattern, Double.infinity.bitPattern, (-1.0).bitPattern, 1e300.bitPattern,
    Double.leastNonzeroMagnitude.bitPattern,
  ]

  private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
    var list: [UInt64] = []
    var (number, shift): (UInt64, UInt64) = (0, 0)
    for byte in bytes {
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 == 0 {
        list.append(number)
        (number, shift) = (0, 0)
      }
    }
    return list
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  // MARK: What becomes of them

  /// Whether an image is taken; then what a program does is done with it: nothing may trap.
  private static func isTaken(_ bytes: [UInt8], _ plan: Plan, _ trace: ArraySlice<TraceLine>) -> Bool {
    guard let image = try? StateImage(bytes: bytes) else { return false }
    var limits = Limits()
    limits.stepsPerInstant = 100_000
    limits.heapBytes = 4 << 20
    limits.stackWords = 1 << 16
    limits.liveNodes = 20_000
    limits.occurrencesPerInstant = 20_000
    let run = EngineRun(Reactor(plan: plan, limits: limits, seed: 0))
    run.reactor.heap.collectAlways = true
    run.reactor.machine.hostCall = { (number, argument, _) throws(Fault) in
      try HostExamples.call(number, argument)
    }
    guard (try? run.reactor.restore(image)) != nil else { return false }
    run.showAll()
    let start = run.reactor.now.nanoseconds
    // A changed clock may lie behind all of the trace: what it says comes one after the other.
    for (index, line) in trace.prefix(6).enumerated() {
      run.goOn(to: start.addingReportingOverflow(Int64(index) * 250_000_000).partialValue)
      run.goOn([TraceLine(nanoseconds: 0, values: line.values)])
    }
    run.goOn(to: start.addingReportingOverflow(4_000_000_000).partialValue)
    run.showAll()
    if let again = try? run.reactor.image() { _ = again.bytes }
    run.reactor.finish()
    return true
  }
}

extension EngineRun {
  /// Lets time pass, some instants at most.
  fileprivate func goOn(to time: Int64) {
    for _ in 0..<60 where !reactor.advanceOnce(to: time) { return }
  }

  /// Looks at every output behavior.
  fileprivate func showAll() {
    for (index, output) in reactor.plan.outputs.enumerated() where !output.isEvent {
      if case .success(let word) = reactor.value(of: index) { show(index, word, 0) }
    }
  }
}
