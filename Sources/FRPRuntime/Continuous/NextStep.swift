// A group's next step, and those of others that must be made before it.
//
// In: a group, and how far those that it reads have come. Out: its next step, or what stands in the way of it.
// Rules:
// - Before a step, what is read shows what comes after its start. It is as long as planned, or as far as so many steps of each go.
// - Something may stand in the way there, too: beyond the start the step ends before it; at the start it is in the way of the step.
// - Groups that wait for one another are put down in a list, since each call would need stack: 20,000 may read one another in a row.

import FRPGraph

struct NextStep {
  let group: ContinuousGroup
  private let from: Double
  private let planned: Double
  /// For so many seconds it is known what the rates read.
  private var border = Double.infinity
  /// Whether that comes from steps as short as the clock allows.
  private var isFine = false
  /// The place of the feeder that is looked at, and whether it shows what comes after the start.
  private var place = 0
  private var isStartKnown = false

  private enum Lack {
    case step(of: ContinuousGroup)
    case obstacle(Obstacle)
  }

  init(_ group: ContinuousGroup) {
    self.group = group
    from = group.reach
    planned = from + group.plannedStep
  }

  /// Makes the step and those that it waits for, with a list of its own that is empty before and after; what stands in the way of the step.
  mutating func make(_ waiting: inout [NextStep]) -> Obstacle? {
    while true {
      var obstacle: Obstacle?
      switch lack() {
      case .step(let feeder):
        waiting.append(self)
        self = NextStep(feeder)
        continue
      case .obstacle(let found): obstacle = found
      case nil: obstacle = group.advance(border: border, isFine: isFine)
      }
      repeat {
        guard let next = waiting.popLast() else { return obstacle }
        self = next
      } while obstacle != nil && !endsHere()
    }
  }

  /// What is still missing.
  private mutating func lack() -> Lack? {
    if let obstacle = group.obstacle { return .obstacle(obstacle) }
    while place < group.feeders.count {
      let feeder = group.feeders[place].group
      if !isStartKnown {
        if !feeder.isKnown(after: from) { return feeder.obstacle.map { .obstacle($0) } ?? .step(of: feeder) }
        let step = feeder.step(after: from)
        isFine = isFine || Stepper.isFine(step.start, step.end)
        isStartKnown = true
      }
      guard let end = feeder.stepEnd(to: planned, after: from, steps: Feeder.mostStepsOfStep) else {
        return .step(of: feeder)
      }
      pass(end)
    }
    return nil
  }

  /// The feeder that is looked at goes no further; false if it does not even show what comes after the start.
  private mutating func endsHere() -> Bool {
    guard isStartKnown else { return false }
    pass(group.feeders[place].group.reach)
    return true
  }

  private mutating func pass(_ end: Double) {
    border = min(border, end - from)
    place += 1
    isStartKnown = false
  }
}

extension ContinuousGroup {
  /// Makes the next step; what stands in the way, if something does.
  func goOn() -> Obstacle? {
    if feeders.isEmpty { return obstacle ?? advance(border: .infinity, isFine: false) }
    var step = NextStep(self)
    var waiting: [NextStep] = []
    swap(&waiting, &waitingSteps)
    defer { swap(&waiting, &waitingSteps) }
    return step.make(&waiting)
  }
}
