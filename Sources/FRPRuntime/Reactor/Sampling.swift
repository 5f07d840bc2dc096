// Samples of a behavior, one after another: in blocks (../Machine/BlockCode.swift) where it depends on the clock alone
// and nothing is due meanwhile, else one by one.

import FRPCore
import FRPGraph

extension Reactor {
  /// Moves the clock on, `step` nanoseconds at a time, and keeps what an output of Floats is at each of these moments,
  /// just after all that happens then. Gives how many there are: fewer than there is room for where one has no value, which
  /// `value(of:)` then explains.
  public func sample(_ output: Int, every step: Int64, into values: UnsafeMutableBufferPointer<Double>) -> Int {
    guard step > 0, !isRunning, hasStarted, plan.outputs[output].type == .float, !plan.outputs[output].isEvent else {
      return 0
    }
    let start = now.nanoseconds
    let code = blockCode(output)
    var done = 0
    while done < values.count {
      let rest = UnsafeMutableBufferPointer(rebasing: values[done...])
      let taken = code.map { sampleBlock($0, step, values: rest) } ?? 0
      if taken > 0 {
        done += taken
        continue
      }
      let (offset, isTooFar) = step.multipliedReportingOverflow(by: Int64(done) + 1)
      let time = isTooFar ? Clock.never : Clock.adding(start, offset)
      if time == Clock.never || isOver { return done }
      advance(through: time)
      guard case .success(let word) = value(of: output) else { return done }
      values[done] = word.float
      done += 1
    }
    return done
  }

  /// Whether an output is a step of which nothing is located: its value is that just after a moment (`lookJustAfter`).
  public func isLookedAtJustAfter(_ output: Int) -> Bool { plan.outputs[output].isStepWhenPushed }

  /// Moves the clock to the last moment that counts as the present one: a comparison at its limit is then what it is just
  /// after, as if it had been located. What moves has moved on as well, so it is looked at before.
  public func lookJustAfter() {
    if isRunning || !hasStarted || isOver { return }
    let seconds = max(now.seconds + 0.499e-9, now.seconds.nextUp)
    moveClock(to: Moment(located: seconds, before: now.nanoseconds + 1, after: now))
  }

  /// As many samples as a block has, if they can be taken together; 0 otherwise, and nothing has happened.
  private func sampleBlock(_ code: BlockCode, _ step: Int64, values: UnsafeMutableBufferPointer<Double>) -> Int {
    guard live.isClockOnly, !isOver, !hasCaused, machine.state.pointee.poisonCount == 0,
      code.codeCount <= limits.stepsPerInstant
    else { return 0 }
    let count = min(values.count, BlockCode.lanes)
    let (length, isTooFar) = step.multipliedReportingOverflow(by: Int64(count))
    let last = isTooFar ? Clock.never : Clock.adding(now.nanoseconds, length)
    if last == Clock.never || live.timers.nextDue <= last { return 0 }
    let block = UnsafeMutableBufferPointer(rebasing: values[..<count])
    if !code.run(live.root.pointee.new, start: now.nanoseconds, step: step, block) { return 0 }
    moveClock(to: Moment(nanoseconds: last))
    return count
  }

  /// The code of an output for blocks, if it has one; made when it is first asked for.
  private func blockCode(_ output: Int) -> BlockCode? {
    if let known = blockCodes[output] { return known }
    var made: BlockCode?
    let row = plan.outputs[output]
    let code = machine.state.pointee.pullCode[row.node.index]
    if plan.optimisations.contains(.sampledBlocks), row.isContinuous, code >= 0 {
      let clocks = plan.templates[0].entries.filter { $0.kind == .time }.map { Int($0.slot) }
      made = BlockCode(machine, code: Int(code)) { clocks.contains($0) }
    }
    blockCodes.updateValue(made, forKey: output)
    return made
  }
}
