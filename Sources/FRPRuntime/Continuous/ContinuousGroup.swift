// Integrals that depend on one another in a circle, or one that depends on none, or a comparison of what other groups follow.
//
// In: rows (ContinuousRows.swift), the groups that they read, and a host whose machine evaluates rates and guards.
// Out: the state at any moment that is reached, and the next moment at which a comparison switches.
// Rules:
// - A group is restarted where an instant touched what it reads, and with the groups that it reads; any other instant leaves its steps
//   alone. Who reads it makes no difference to it.
// - What it reads has been followed as far as its next step goes (GroupSources.swift).
// - Where all rates are polynomials in time there are no steps, and guards that are polynomials are solved for roots.
// - Otherwise `Stepper` makes steps, and guards are searched step by step: as the clock needs them, and as far ahead of it as what reads the
//   group makes steps of its own.
// - Guards that are no polynomials, in a group that makes no steps, are searched in windows that grow while that takes
//   little work.

import FRPCore
import FRPGraph

final class ContinuousGroup {
  unowned let host: any ContinuousHost
  let machine: Machine
  let clock: ClockTable
  /// Its place in the solver's table.
  let number: Int
  var integrals: [IntegralRow] = []
  var guards: [GuardRow] = []
  /// Owners of scopes whose instances the group reads.
  var scopes: [RowOwner] = []
  var isEmpty: Bool { integrals.isEmpty && guards.isEmpty && scopes.isEmpty }
  /// The groups that this one reads, and by place after its own integrals: which integral of which of them.
  var feeders: [Feeder] = []
  var fed: [(feeder: Int, integral: Int)] = []
  /// Steps that wait for what they read, while the next one is made.
  var waitingSteps: [NextStep] = []
  /// Of its own steps that in which something is being searched: its place in the trail; nil for the newest.
  var searchedStep: Int?
  /// Numbers of the groups with something that this one's rows read, and of those that read this one, be it through scopes.
  var sources: [Int] = []
  var readers: [Int] = []

  /// How the integrals are followed.
  enum Course { case polynomial, steps }
  private(set) var course = Course.polynomial
  private(set) var polynomials: [Polynomial] = []
  /// Where a polynomial leaves the Floats first: the last moment, and whose it is.
  var leaving = (time: Double.infinity, index: 0)
  /// The same of this group and those that it reads, as far as there are no steps between.
  private(set) var horizon = Double.infinity
  /// Whether steps are made here, or by a group that is read.
  private(set) var isInSteps = false
  private(set) var stepper: Stepper?
  /// When it was last restarted.
  private(set) var origin = 0.0
  /// The state that was last computed, and rates; `capacity` words each.
  private(set) var y: UnsafeMutablePointer<Double>
  private(set) var drift: UnsafeMutablePointer<Double>
  private var capacity = 1
  /// The newest fault of a rate.
  var fault: Fault?
  /// Why no further step can be made, since the last restart.
  private var halt: Halt?

  /// The limits along which the group slides; nil if there are none.
  var slides: Slides?
  /// The state on the limits where the group has just ceased to slide along some of them: its steps are beside them by what
  /// they err, which would be a crossing of its own.
  private var onLimits: (time: Double, state: [Double])?
  /// Whether the state is put onto limits where it is shown.
  var isOnLimits: Bool { slides != nil || onLimits != nil }
  /// The stepper is making a step.
  private(set) var isAdvancing = false
  /// How many times its error what others follow is shown wrongly, to see what becomes of it.
  var disturbance = 0.0
  /// What the rates are made of, once their rounding has been asked for since the last restart.
  var rateTape: RateTape?
  /// The slots show the state that is asked for, at one moment.
  var isShownInSlots = false
  /// Somebody asks in the middle of an instant, where the slots of what others follow hold what is true.
  var isAsked = false
  /// The integral whose rate faulted when mean rates were last computed.
  var slideFault = 0
  /// Whether some comparison steers a rate.
  var hasSteering = false

  let search = CrossingSearch()
  /// The guards that are scanned, by their place in `guards`.
  var sampled: [Int] = []
  /// Up to here no sampled guard switches.
  private var scannedUntil = 0.0
  /// Where the first of them does, once that is found.
  private var found = Double.infinity
  /// How far to scan at a time where there are no steps.
  private var window = 0.0
  /// Steps before the newest that somebody may still ask for.
  private(set) var trail = StepTrail(count: 0)
  /// The newest piece has been kept; rows need not match the steps any more.
  private var isClosed = true
  /// Rates computed since the restart, and how many may be at once and in every second of its time.
  private var work = 0.0
  var allowance = 0.0
  /// No step may be longer: what is delayed by so much must be known before.
  var longestStep = Double.infinity

  static let firstWindow = 1.0 / 64
  private static let leastWindow = 1e-6
  /// Rates that may be computed however small the limits are: those of the first steps.
  private static let leastAllowance = 65_536

  init(host: any ContinuousHost, number: Int) {
    self.host = host
    self.number = number
    machine = host.machine
    clock = host.clock
    y = .allocate(capacity: 1)
    drift = .allocate(capacity: 1)
  }

  deinit {
    y.deallocate()
    drift.deallocate()
  }

  /// The group will not go on. If each kept the one that it reads, the end of the last would be that of a whole chain, in calls in calls.
  func forgetSources() {
    feeders = []
    fed = []
  }

  // MARK: Restarting

  /// Starts anew at `t` from what the integrals' slots hold, after rows came or went or an instant touched the group.
  func restart(at t: Double) {
    close(at: t)
    allowance = Double(max(host.stepBudget, Self.leastAllowance))
    if integrals.count > capacity {
      y.deallocate()
      drift.deallocate()
      capacity = integrals.count * 2
      y = .allocate(capacity: capacity)
      drift = .allocate(capacity: capacity)
    }
    for index in integrals.indices { y[index] = integrals[index].new[integrals[index].slot].float }
    restartFromState(at: t)
  }

  func restartFromState(at t: Double) {
    isClosed = false
    onLimits = nil
    rateTape = nil
    trail.removeAll()
    halt = nil
    origin = t
    scannedUntil = t
    found = .infinity
    window = ContinuousGroup.firstWindow
    work = 0
    if hasSteering {
      findSlides(at: t)
      if let slides { putOntoLimits(slides, at: t) }
    }
    var reader = PolynomialReader(core: host.core, layout: host.layout, machine: machine, origin: t)
    readFeeders(&reader)
    leaving.time = .infinity
    if readPolynomials(&reader) {
      course = .polynomial
      findLeaving()
    } else {
      course = .steps
      if stepper?.count != integrals.count {
        stepper = Stepper(count: integrals.count)
        trail = StepTrail(count: integrals.count)
      }
      stepper?.restart(at: t, y)
    }
    isInSteps = course == .steps || feeders.contains { $0.group.course == .steps }
    horizon = course == .steps ? .infinity : feeders.reduce(leaving.time) { min($0, $1.group.horizon) }
    if !guards.isEmpty { settleGuards(&reader) }
  }

  /// Finds the integrals' polynomials, those first that depend on nothing unknown; false if one has none.
  private func readPolynomials(_ reader: inout PolynomialReader) -> Bool {
    polynomials = [Polynomial](repeating: Polynomial(0), count: integrals.count)
    var open = Array(integrals.indices)
    while !open.isEmpty {
      let before = open.count
      open.removeAll { index in
        let row = integrals[index]
        if row.isSteered, let slides, !row.isFrozen {
          guard let integral = meanPolynomial(of: index, slides, reader: &reader)?.integral(from: y[index]) else {
            return false
          }
          polynomials[index] = integral
          reader.integrals[row.new + row.slot] = integral
          return true
        }
        let rate =
          row.isFrozen
          ? Polynomial(0) : polynomial(row.rateExpr, row.rate, base: row.new, scope: row.scope, reader: &reader)
        guard let integral = rate?.integral(from: y[index]), integral.isFinite else { return false }
        polynomials[index] = integral
        reader.integrals[row.new + row.slot] = integral
        return true
      }
      if open.count == before { return false }
    }
    return slides.map { isSteady($0, &reader) } ?? true
  }

  // MARK: Which guards hold just after a restart

  private func settleGuards(_ reader: inout PolynomialReader) {
    sampled.removeAll(keepingCapacity: true)
    for index in guards.indices {
      guards[index].faultTime = .infinity
      if guards[index].isStuck {
        guards[index].polynomial = nil
        continue
      }
      if guards[index].isSliding {
        guards[index].polynomial = nil
        if let slides, !slides.isSteady, slides.limits.contains(where: { $0.guards[0] == index }) {
          sampled.append(index)
        }
        continue
      }
      guards[index].polynomial = course == .polynomial ? difference(&guards[index], &reader) : nil
      if guards[index].polynomial != nil { settlePolynomial(index) }
      if guards[index].polynomial == nil { sampled.append(index) }
    }
    search.forget()
    for index in sampled where !guards[index].isSliding { settleSampled(index) }
  }

  func difference(_ row: inout GuardRow, _ reader: inout PolynomialReader) -> Polynomial? {
    guard let left = polynomial(row.leftExpr, row.left, base: row.new, scope: row.scope, reader: &reader),
      let right = polynomial(row.rightExpr, row.right, base: row.new, scope: row.scope, reader: &reader)
    else { return nil }
    row.size = min(left[0].magnitude + right[0].magnitude, .greatestFiniteMagnitude)
    let difference = (left - right).withoutRounding(of: left.sizes + right.sizes)
    return row.isGreater ? difference : -difference
  }

  /// The polynomial of an expression with its code: what reads no continuous behavior is constant, however it is computed.
  func polynomial(
    _ expr: CoreExprID, _ code: CodeID, base: Address, scope: ScopeID, reader: inout PolynomialReader
  ) -> Polynomial? {
    guard host.isStep(expr) else { return reader.polynomial(expr, base, scope: scope) }
    machine.stepsLeft = host.stepBudget
    return (try? machine.run(code, base: base)).map { Polynomial($0.float) }
  }

  private func settlePolynomial(_ index: Int) {
    guard var polynomial = guards[index].polynomial else { return }
    // What was located at its limit is there exactly, whatever rounding says.
    let isAtLimit = guards[index].limitTime == origin || polynomial[0].magnitude <= 1e-14 * guards[index].size
    if isAtLimit { polynomial = polynomial.fromZero }
    // Where a slide is left, its slope is zero, whatever rounding says.
    if guards[index].forced != nil, guards[index].leftTime == origin { polynomial = polynomial.flatAtZero }
    guards[index].polynomial = polynomial
    let sign = polynomial.signAfterZero
    guards[index].holds = guards[index].forced ?? (sign == 0 ? guards[index].holdsAtZero : sign > 0)
    let from = guards[index].forced.map { $0 ? 1 : -1 } ?? sign
    var isClear = true
    let next = polynomial.firstChange(from: from, within: .infinity, isClear: &isClear)
    guards[index].nextSwitch = next.map { origin + $0 } ?? .infinity
    // It comes so near to its limit that its coefficients do not tell on which side it turns: its expression may.
    if !isClear { guards[index].polynomial = nil }
  }

  /// Where a guard stands at its limit, where it goes from there decides.
  private func settleSampled(_ index: Int) {
    let now = sample(guards[index], at: origin)
    guard now.value.isFinite else { return }
    guards[index].isReported = false
    if let forced = guards[index].forced {
      guards[index].holds = forced
      return
    }
    let isLocated = guards[index].limitTime == origin
    if !isLocated, now.value.magnitude > 1e-14 * now.size {
      guards[index].holds = now.value > 0
      return
    }
    let end = lookaheadEnd()
    let h = 1e-7 * max(1, 1e-3 * origin)
    func change(_ h: Double) -> (value: Double, size: Double) {
      let later = origin + h <= end ? sample(guards[index], at: origin + h) : sampleAhead(guards[index], by: h)
      return (later.value - now.value, max(later.size, now.size))
    }
    func isCourse(_ h: Double, _ whole: Double) -> Bool {
      Parting.isTold(by: whole, half: change(h / 2).value, quarter: change(h / 4).value)
    }
    let soon = change(h)
    // What was located where it jumps (`time - floor(time)`) is beyond its limit, not at it.
    if isLocated, now.value.magnitude > max(1e-6 * now.size, soon.value.magnitude) {
      guards[index].holds = now.value > 0
      return
    }
    if soon.value.magnitude > 2e-15 * soon.size, isCourse(h, soon.value) {
      guards[index].holds = soon.value > 0
      return
    }
    for part in [1.0, 8.0, 32.0] {
      let reach = part / 64 * (end - origin)
      let later = change(reach)
      if later.value.magnitude > 1e-13 * later.size, isCourse(reach, later.value) {
        guards[index].holds = later.value > 0
        return
      }
    }
    guards[index].holds = now.value > 0 || (now.value == 0 && guards[index].holdsAtZero)
  }

  /// How far ahead of the origin the state can be seen: to the end of the first step.
  private func lookaheadEnd() -> Double {
    _ = see(past: origin)
    return isInSteps ? stepEnd(after: origin) : origin + window
  }

  // MARK: The state at a moment

  /// Follows the integrals until `t`; false where the call is to end.
  func come(to t: Double) -> Bool {
    while reach < t { if !makeStep() { return false } }
    return true
  }

  /// Makes the next step, or lets stand still what is in the way; false where the call is to end.
  func makeStep() -> Bool {
    let obstacle = goOn()
    if host.isBrokenOff { return false }
    if let obstacle { clear(obstacle) }
    host.pause()
    return true
  }

  /// Puts the integrals' values at `t`, which they have reached, into their slots, both just before and just after it.
  func show(at t: Double) {
    reportGuardFaults(before: t)
    if integrals.isEmpty { return }
    computeState(at: t)
    for index in integrals.indices {
      let word = Word(float: y[index])
      integrals[index].new[integrals[index].slot] = word
      integrals[index].old[integrals[index].slot] = word
    }
  }

  /// Computes the state at `t`, which steps have reached, into `y`.
  func computeState(at t: Double) {
    switch course {
    case .steps:
      if let stepper, t < stepper.start, let step = trail.step(at: t) {
        for index in integrals.indices { y[index] = trail.value(step, index, after: t - trail.start(step)) }
      } else {
        stepper?.state(at: t, into: y)
      }
    case .polynomial:
      for index in integrals.indices { y[index] = polynomials[index].floatValue(at: t - origin) }
    }
    if let onLimits, onLimits.time == t, onLimits.state.count == integrals.count {
      for index in integrals.indices { y[index] = onLimits.state[index] }
    }
    if let slides { putOntoLimits(slides, at: t) }
  }

  /// How far the integrals are followed; without end where there are no steps, and nobody leaves the Floats.
  var reach: Double { course == .steps ? stepper?.end ?? .infinity : horizon }

  /// What stands in the way of any further step, known before one is tried.
  var obstacle: Obstacle? {
    guard course == .steps else { return leaver.map { .leaving($0) } }
    return halt.map { .halt(self, $0) }
  }

  /// How long the next step is to be at most.
  var plannedStep: Double { stepper?.plannedStep(most: longestStep) ?? 0 }

  /// Makes the next step, once what the group reads has come as far, so many seconds at most; what stands in the way, if something does.
  func advance(border: Double, isFine: Bool) -> Obstacle? {
    if host.isBrokenOff { return .end }
    guard course == .steps, let stepper else { return obstacle }
    let from = stepper.end
    if let fault = spent(stepper) {
      self.fault = fault
      let isMoving = !integrals[stepper.hardest].isFrozen
      return .halt(
        self, .fault(component: isMoving ? stepper.hardest : integrals.firstIndex { !$0.isFrozen } ?? 0))
    }
    // The one before becomes history.
    keepPieces(until: from)
    keepStep(stepper)
    isAdvancing = true
    defer { isAdvancing = false }
    fault = nil
    if let halt = stepper.advance(self, most: longestStep, border: border, isFine: isFine) {
      // An exhausted limit is that of a call. Another attempt at anything else might get by.
      if case .limit? = fault?.kind { return .halt(self, halt) }
      self.halt = halt
      return .halt(self, halt)
    }
    // What is short for the sake of others is theirs.
    if !stepper.isCutShort { work += Double(Stepper.rows * integrals.count) }
    return nil
  }

  /// The limit that allows no further step.
  private func spent(_ stepper: Stepper) -> Fault? {
    if work > allowance * (1 + stepper.end - origin) { return .following }
    return machine.isLate ? .time : nil
  }

  /// The newest step may still be asked for by groups that have not come as far, and by the clock, which stops where all groups have come.
  private func keepStep(_ stepper: Stepper) {
    guard stepper.end > stepper.start, !readers.isEmpty || host.isForeseeing || !trail.isEmpty else { return }
    trail.forget(until: host.needed(by: readers))
    trail.append(stepper)
  }

  /// From when on the group may still ask for what it reads.
  var needs: Double {
    let own = course == .steps ? stepper?.start ?? .infinity : .infinity
    return sampled.isEmpty ? own : min(own, scannedUntil)
  }

  // MARK: The past

  /// The newest piece ends at `t`: before rows come or go, or the group is restarted.
  func close(at t: Double) {
    if isClosed { return }
    keepPieces(until: t)
    isClosed = true
  }

  /// Hands what the integrals have been since the newest piece began to those that are asked for their past.
  private func keepPieces(until t: Double) {
    for (index, row) in integrals.enumerated() {
      guard let history = row.history else { continue }
      history.cut(at: t)
      if let piece = presentPiece(index, until: t) { history.add(piece, present: host.present) }
    }
  }

  /// From now on the past of an integral is kept, or not any more.
  func keep(_ history: IntegralHistory?, for index: Int) {
    integrals[index].history = history
    guard let history else { return }
    // Steps may have been made already beyond the present.
    trail.forEach { step in
      history.add(
        IntegralPiece(
          start: trail.start(step), end: trail.end(step),
          course: .step(
            start: trail.start(step), end: trail.end(step), last: trail.value(step, index, after: .infinity),
            rows: trail.rows(step, index))), present: host.present)
    }
  }

  func presentPiece(_ index: Int, until t: Double) -> IntegralPiece? {
    switch course {
    case .polynomial:
      guard index < polynomials.count, t > origin else { return nil }
      return IntegralPiece(start: origin, end: t, course: .polynomial(polynomials[index], origin: origin))
    case .steps:
      guard let stepper, index < stepper.count, t > stepper.start else { return nil }
      return IntegralPiece(
        start: stepper.start, end: min(t, stepper.end),
        course: .step(start: stepper.start, end: stepper.end, last: stepper.last(index), rows: stepper.rows(index)))
    }
  }

  /// An integral at a moment that the newest piece covers; nil if it is further back.
  func presentValue(of history: IntegralHistory, at t: Double, before: Bool) -> Double? {
    guard let index = integrals.firstIndex(where: { $0.history === history }) else { return nil }
    if isClosed { return nil }
    let start = course == .steps ? stepper?.start ?? origin : origin
    if t < start || (before && t == start) { return nil }
    // While a step is being tried, all that is known of it is where it starts.
    if course == .steps, let stepper, stepper.end <= stepper.start { return stepper.first(index) }
    return presentPiece(index, until: .infinity)?.value(at: t)
  }

  // MARK: What comes next

  /// Up to here it is known whether a guard switches.
  var knownUntil: Double { min(sampled.isEmpty || found < .infinity ? .infinity : scannedUntil, horizon) }

  /// The first moment at which a guard is known to switch.
  var nextSwitch: Double {
    var first = found
    for row in guards where row.polynomial != nil { first = min(first, row.nextSwitch) }
    return first
  }

  /// Scans one step or window further; false where that cannot be foreseen, or the call is to end.
  @discardableResult
  func lookFurther() -> Bool {
    let obstacle: Obstacle?
    if let leaver, horizon == knownUntil {
      obstacle = .leaving(leaver)
    } else {
      guard !sampled.isEmpty, found == .infinity else { return true }
      obstacle = see(past: scannedUntil)
    }
    if host.isBrokenOff { return false }
    if let obstacle {
      if host.isForeseeing { return false }
      clear(obstacle)
      return true
    }
    let end = isInSteps ? windowEnd(after: scannedUntil) : min(scannedUntil + window, horizon)
    if host.isBrokenOff { return false }
    lookAtSteps(after: scannedUntil)
    let (outcome, growth) = search.look(self, from: scannedUntil, to: end)
    if host.isBrokenOff { return false }
    switch outcome {
    case .clear(let until): scannedUntil = until
    case .crossing(let first): found = first
    }
    window = min(max(growth * window, ContinuousGroup.leastWindow), max(window, 1, 0.02 * (end - origin)))
    host.pause()
    return true
  }

  /// What switching at a moment brings.
  struct Switches {
    /// Places in `guards`.
    var taken: [Int] = []
    /// One of them was true at this very moment before: the clock cannot get past it.
    var standsStill = false
    /// Something begins to slide or ceases to: the group starts anew, also if no comparison changes.
    var isTurn = false
  }

  /// Passes the guards that switch at `t`.
  func passSwitches(at t: Double) -> Switches {
    var result = Switches()
    let limit = t + GuardScan.together
    for index in guards.indices where guards[index].polynomial != nil && guards[index].nextSwitch <= limit {
      pass(index, at: t, result: &result)
      passPolynomial(index)
    }
    if found <= limit {
      for (place, index) in sampled.enumerated() where search.moments[place] < .infinity {
        pass(index, at: t, result: &result)
      }
      found = .infinity
      scannedUntil = max(scannedUntil, t)
    }
    if hasSteering, result.taken.contains(where: { guards[$0].isSteering || guards[$0].leftTime == t }) {
      passLimits(at: t, &result)
    }
    result.taken.sort()
    return result
  }

  /// Where a limit is reached or left that steers rates: what it shows is what it will be.
  private func passLimits(at t: Double, _ result: inout Switches) {
    computeState(at: t)
    if slides != nil { onLimits = (t, integrals.indices.map { y[$0] }) }
    findSlides(at: t)
    result.isTurn = slides != nil || result.taken.contains { guards[$0].leftTime == t || guards[$0].isStuck }
    if !result.isTurn { return }
    if slides != nil { result.standsStill = false }
    for index in guards.indices {
      if !guards[index].isSliding, !guards[index].isStuck, guards[index].leftTime != t { continue }
      result.taken.removeAll { $0 == index }
      if guards[index].holds != guards[index].new[guards[index].slot].bool { result.taken.append(index) }
    }
  }

  private func pass(_ index: Int, at t: Double, result: inout Switches) {
    if guards[index].isSliding {
      leaveSlide(index, at: t)
      return result.taken.append(index)
    }
    guards[index].holds.toggle()
    guards[index].limitTime = t
    result.taken.append(index)
    guard guards[index].holds else { return }
    if t - guards[index].lastRise <= 4 * t.ulp { result.standsStill = true }
    guards[index].lastRise = t
  }

  private func passPolynomial(_ index: Int) {
    guard let polynomial = guards[index].polynomial else { return }
    let passed = guards[index].nextSwitch - origin
    let rest = polynomial.shifted(by: passed).fromZero
    let next = rest.firstChange(from: guards[index].holds ? 1 : -1, within: .infinity)
    guards[index].nextSwitch = next.map { origin + passed + $0 } ?? .infinity
  }

  /// What was new has been settled.
  func forgetBirths() {
    for index in guards.indices { guards[index].isNew = false }
  }
}
