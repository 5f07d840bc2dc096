// Integrals that depend on one another, with the comparisons that depend on them.
//
// In: rows (ContinuousRows.swift) and a host whose machine evaluates rates and guards.
// Out: the state at any moment that is reached, and the next moment at which a comparison switches.
// Rules:
// - A group is restarted where an instant touched what it reads; any other instant leaves its steps alone.
// - Where all rates are polynomials in time there are no steps, and guards that are polynomials are solved for roots.
// - Otherwise `Stepper` makes steps, and guards are searched step by step, never more than one ahead of the clock.
// - Guards that are no polynomials, in a group that makes no steps, are searched in windows that grow while that takes
//   little work.
// - A rate that faults freezes its integral until the next instant; the others go on. So does one that would make it
//   infinite, or takes more steps to follow than an instant may take, and the same again for every second since the
//   group was restarted.

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

  /// How the integrals are followed.
  enum Course { case polynomial, steps }
  private(set) var course = Course.polynomial
  private(set) var polynomials: [Polynomial] = []
  /// Where a polynomial leaves the Floats first: the last moment, and whose it is.
  var leaving = (time: Double.infinity, index: 0)
  private(set) var stepper: Stepper?
  /// When it was last restarted.
  private(set) var origin = 0.0
  /// The state that was last computed, and rates; `capacity` words each.
  private(set) var y: UnsafeMutablePointer<Double>
  private(set) var drift: UnsafeMutablePointer<Double>
  private var capacity = 1
  /// The newest fault of a rate.
  var fault: Fault?

  /// The limits along which the group slides; nil if there are none.
  var slides: Slides?
  /// The state on the limits where the group has just ceased to slide along some of them: its steps are beside them by what
  /// they err, which would be a crossing of its own.
  private var onLimits: (time: Double, state: [Double])?
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
  /// Steps before the newest that the clock has not passed.
  private var foreseen = ForeseenSteps()
  /// The newest piece has been kept; rows need not match the steps any more.
  private var isClosed = true
  /// Rates computed since the restart, and how many may be at once and in every second of its time.
  private var work = 0.0
  private var allowance = 0.0
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

  private func restartFromState(at t: Double) {
    isClosed = false
    onLimits = nil
    foreseen.removeAll()
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
    leaving.time = .infinity
    if readPolynomials(&reader) {
      course = .polynomial
      findLeaving()
    } else {
      course = .steps
      if stepper?.count != integrals.count { stepper = Stepper(count: integrals.count) }
      stepper?.restart(at: t, y)
    }
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
    guard course == .steps, let stepper, !integrals.isEmpty else { return origin + window }
    if stepper.end <= origin { _ = makeStep(stepper) }
    return stepper.end
  }

  // MARK: The state at a moment

  /// Brings the integrals to `t`, both just before and just after it; makes steps if they do not reach there.
  func bring(to t: Double) {
    reportGuardFaults(before: t)
    guard !integrals.isEmpty else { return }
    while course == .steps, let stepper, stepper.end < t {
      if let halt = makeStep(stepper) { freeze(halt) }
      host.pause()
    }
    while leaving.time < t { stopLeaving() }
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
      stepper?.state(at: t, into: y)
      if let stepper, t < stepper.start, let pieces = foreseen.pieces(at: t) {
        for index in integrals.indices { y[index] = pieces[index].value(at: t) }
      }
    case .polynomial:
      for index in integrals.indices { y[index] = polynomials[index].floatValue(at: t - origin) }
    }
    if let onLimits, onLimits.time == t, onLimits.state.count == integrals.count {
      for index in integrals.indices { y[index] = onLimits.state[index] }
    }
    if let slides { putOntoLimits(slides, at: t) }
  }

  /// How far the steps go; without end where there are none.
  var reach: Double { course == .steps && !integrals.isEmpty ? stepper?.end ?? .infinity : leaving.time }

  /// Makes the next step; false where the call is to end.
  func goOn() -> Bool {
    if leaving.time < .infinity {
      stopLeaving()
      return true
    }
    guard let stepper else { return true }
    let halt = makeStep(stepper)
    if host.isBrokenOff { return false }
    if let halt { freeze(halt) }
    host.pause()
    return true
  }

  /// Makes the next step; the one before becomes history.
  private func makeStep(_ stepper: Stepper) -> Halt? {
    if let fault = spend(stepper) {
      self.fault = fault
      let isMoving = !integrals[stepper.hardest].isFrozen
      return .fault(component: isMoving ? stepper.hardest : integrals.firstIndex { !$0.isFrozen } ?? 0)
    }
    keepPieces(until: stepper.end)
    if host.isForeseeing || !foreseen.isEmpty { keepForeseen(stepper) }
    return stepper.advance(self, most: longestStep)
  }

  /// Counts a step; the limit that does not allow it.
  private func spend(_ stepper: Stepper) -> Fault? {
    work += Double(Stepper.rows * integrals.count)
    if work > allowance * (1 + stepper.end - origin) { return .following }
    return machine.isLate ? .time : nil
  }

  /// A step that the clock has not passed is kept whole: an instant may still come before its end.
  private func keepForeseen(_ stepper: Stepper) {
    guard stepper.end > stepper.start else { return }
    foreseen.append(end: stepper.end, present: host.present) {
      integrals.indices.compactMap { presentPiece($0, until: .infinity) }
    }
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

  // MARK: Faults

  /// The rate of an integral cannot be had from the end of the newest step on: it stands still.
  func freeze(_ halt: Halt) {
    let isLeaving = course == .polynomial
    guard let t = isLeaving ? leaving.time : stepper?.end else { return }
    let component: Int
    let fault: Fault
    switch halt {
    case .fault(let index):
      component = index
      fault = self.fault ?? .notFinite
    case .unbounded(let index):
      component = index
      fault = Fault(
        .message,
        "this integral cannot be followed any further: its rate grows, flickers, or is driven back, faster than the clock can tell"
      )
    }
    let isNew = !integrals[component].isReported || t > origin
    integrals[component].isFrozen = true
    integrals[component].isReported = true
    // The others shall not take as long once more, one after the other.
    if case .limit = fault.kind { allowance /= 2 }
    if isLeaving { computeState(at: t) } else { stepper?.state(at: t, into: y) }
    close(at: t)
    // No instant has happened, so nothing may have switched.
    let holds = guards.map(\.holds)
    restartFromState(at: t)
    for index in guards.indices { guards[index].holds = holds[index] }
    host.didFreeze(self)
    if isNew { host.report(fault, node: integrals[component].node, at: t) }
  }

  /// An instant that touches what a rate reads gives it another chance; whether one stood still.
  func thaw(_ touched: Set<RowOwner>) -> Bool {
    var wasFrozen = false
    for index in integrals.indices where integrals[index].isFrozen && touched.contains(integrals[index].owner) {
      integrals[index].isFrozen = false
      wasFrozen = true
    }
    guard
      integrals.contains(where: { $0.isStuck && touched.contains($0.owner) })
        || guards.contains(where: { $0.isStuck && touched.contains($0.owner) })
    else { return wasFrozen }
    // What takes part in one knot is let go together.
    for index in guards.indices { guards[index].isStuck = false }
    for index in integrals.indices where integrals[index].isStuck {
      integrals[index].isStuck = false
      integrals[index].isFrozen = false
    }
    return true
  }

  /// Lets some integrals stand still; whether there are any.
  func freeze(where takesPart: (IntegralRow) -> Bool) -> Bool {
    var isAny = false
    for index in integrals.indices where takesPart(integrals[index]) {
      integrals[index].isFrozen = true
      integrals[index].isReported = true
      isAny = true
    }
    return isAny
  }

  var isFrozen: Bool { integrals.contains { $0.isFrozen } }

  /// A guard that could not be computed at a moment that has come.
  private func reportGuardFaults(before t: Double) {
    for index in guards.indices where guards[index].faultTime <= t && !guards[index].isReported {
      guards[index].isReported = true
      if let fault = guards[index].fault { host.report(fault, node: guards[index].node, at: guards[index].faultTime) }
    }
  }

  // MARK: What comes next

  /// Up to here it is known whether a guard switches.
  var knownUntil: Double { min(sampled.isEmpty || found < .infinity ? .infinity : scannedUntil, leaving.time) }

  /// The first moment at which a guard is known to switch.
  var nextSwitch: Double {
    var first = found
    for row in guards where row.polynomial != nil { first = min(first, row.nextSwitch) }
    return first
  }

  /// Scans one step or window further; false where that cannot be foreseen, or the call is to end.
  @discardableResult
  func lookFurther() -> Bool {
    if leaving.time < .infinity, leaving.time == knownUntil {
      if host.isForeseeing { return false }
      stopLeaving()
      return true
    }
    guard !sampled.isEmpty, found == .infinity else { return true }
    var end = scannedUntil + window
    if course == .steps, let stepper, !integrals.isEmpty {
      let halt = stepper.end <= scannedUntil ? makeStep(stepper) : nil
      if host.isBrokenOff { return false }
      if let halt {
        if host.isForeseeing { return false }
        freeze(halt)
        return true
      }
      end = stepper.end
    }
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
