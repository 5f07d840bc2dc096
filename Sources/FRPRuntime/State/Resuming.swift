// A run that goes on where another was: the start of a reactor, with what an image remembers in the place of what
// definitions say. What nothing is remembered of starts as if its scope had just begun.
//
// It is one instant in which nothing occurs. Whatever is a function of the present (lifts, conditions, members of an
// `each`) is computed anew from what was put in place before it, in the order of the template. If anything faults, the
// reactor is over and the old one is as it was.

import FRPCore
import FRPGraph

/// Why a run cannot go on in another reactor.
public enum AdoptionProblem: Error, Sendable {
  /// A callback asked in the middle of an instant; or the old run has not started, or the new one has.
  case notBetweenInstants
  /// What had to begin anew has faulted.
  case fault(Fault, definition: String)
  case image(ImageProblem)
  case state(StateProblem)
}

/// A timer to be armed when everything is in place.
struct ResumedTimer {
  var image: TimerImage
  var frame: FrameRef
  var entry: Int32
  /// The word that keeps its number; nil for a task's step.
  var word: Address?
  var step: Int32
}

/// What guides the start.
final class Adoption {
  let match: PlanMatch
  let objects: ObjectReader
  /// With what a frame goes on.
  var images: [FrameRef: FrameImage] = [:]
  var timers: [ResumedTimer] = []
  /// Whether the image says what cannot be: then nothing of it is used.
  var isDamaged = false
  /// What could not be kept although it matched.
  var lost: [NodeID: String] = [:]
  /// By owner of `each` scopes: its scopes by the hash of their key.
  private var byKey: [RowOwner: [UInt64: [Int]]] = [:]

  /// What a host's function is in this program; nil if it has none such.
  private let hostFunction: (Int) -> Int?
  private var hostFunctions: [Int: Int?] = [:]
  /// What a node of the old program is in this one.
  private lazy var heirs = Dictionary(match.nodes.map { ($1, $0) }) { first, _ in first }
  /// Tasks that have got their function or node of this program.
  private var translated: Set<Address> = []

  init(_ match: PlanMatch, _ objects: ObjectReader, hostFunction: @escaping (Int) -> Int?) {
    self.match = match
    self.objects = objects
    self.hostFunction = hostFunction
  }

  /// Whether a task can go on here: in another program only one that needs none of its functions.
  func isPortable(_ task: TaskValue) -> Bool {
    if match.isSame { return true }
    return Adoption.parts(of: task) { part in
      switch part.kind {
      case .map, .andThen, .recover, .retryWith, .sourceMap, .sourceFilterMap, .reconnect: false
      case .host: translated.contains(part.word.address) || heir(of: part.hostFunction) != nil
      case .awaited:
        part.awaitCondition == nil && (translated.contains(part.word.address) || heirs[part.awaitNode] != nil)
      default: true
      }
    }
  }

  /// Gives the tasks of the host in a task their functions of this program, and those of events their nodes.
  func translate(_ task: TaskValue) {
    _ = Adoption.parts(of: task) { part in
      if part.kind == .host, let heir = heir(of: part.hostFunction), translated.insert(part.word.address).inserted {
        part.word.address[1] = Word(int: heir)
      }
      if part.kind == .awaited, let heir = heirs[part.awaitNode], translated.insert(part.word.address).inserted {
        part.word.address[2] = Word(int: heir.index)
      }
      return true
    }
  }

  private func heir(of function: Int) -> Int? {
    if let known = hostFunctions[function] { return known }
    let heir = hostFunction(function)
    hostFunctions.updateValue(heir, forKey: function)
    return heir
  }

  /// Whether all parts of a task fit.
  private static func parts(of task: TaskValue, all fit: (TaskValue) -> Bool) -> Bool {
    var pending = [task]
    while let next = pending.popLast() {
      if !fit(next) { return false }
      switch next.kind {
      case .timeout, .retry: pending.append(next.inner)
      case .standIn: pending += [next.inner, next.answer]
      case .all, .race: for part in next.tasks { pending.append(TaskValue(part)) }
      case .succeed, .fail, .after, .map, .andThen, .recover, .retryWith, .host, .awaited, .lane, .sourceMap,
        .sourceFilterMap, .reconnect:
        break
      }
    }
    return true
  }

  /// What an entry remembers; nil if it begins anew.
  func image(_ frame: FrameRef, _ entry: Entry) -> NodeImage? {
    guard entry.kind.remembers, let old = match.nodes[entry.node], let place = match.places[old],
      let nodes = images[frame]?.nodes, nodes.indices.contains(place)
    else { return nil }
    return nodes[place]
  }

  /// The scope of an `each` with a key.
  func child(_ image: NodeImage, _ owner: RowOwner, key: Word, type: TypeID, heap: Heap) -> FrameImage? {
    let isReference = heap.shapes.isReference(type)
    func word(_ index: Int) -> Word {
      isReference ? objects.reference(image.children[index].key) : image.children[index].key
    }
    if byKey[owner] == nil {
      var table: [UInt64: [Int]] = [:]
      for index in image.children.indices { table[heap.hash(word(index), type), default: []].append(index) }
      byKey[owner] = table
    }
    let found = byKey[owner]?[heap.hash(key, type)]?.first { heap.equal(word($0), key, type: type) }
    return found.map { image.children[$0] }
  }
}

extension Reactor {
  /// In the place of `start`: goes on with the state of a reactor of another program, which stays as it is. What has
  /// the same identity (see `PlanMatch`) goes on, everything else starts now. Shows nothing. Cost: linear in the state.
  ///
  /// `hostFunction` says which of this program's functions of the host one of the old program's is; nil for none. Tasks
  /// of the host that go on stand in `resumedHostTasks`.
  public func adopt(from old: Reactor, hostFunction: @escaping (Int) -> Int? = { _ in nil }) throws(AdoptionProblem)
    -> AdoptionReport
  {
    let image: StateImage
    do throws(StateProblem) { image = try old.imageForAdoption() } catch { throw .state(error) }
    keepsHostTasks = true
    return try resume(image, PlanMatch(old: old.plan, new: plan), hostFunction: hostFunction)
  }

  /// Lets a sink of a behavior have its value in the next micro-step, since it has had another program's.
  public func renewSink(_ binding: Int) {
    var node = plan.bindings[binding].node
    while let operand = plan.core[node].op.operands(.now, .later).first {
      node = operand
      guard case .updates = plan.core[node].op else { continue }
      let entry = plan.entryOfNode[node.index]
      if entry >= 0 { live.caused.append(CausedStep(EntrySite(live.root, Int(entry)))) }
      return
    }
  }

  /// In the place of `start`: goes on where an image of the same program was made. The image is not believed: what does
  /// not fit the program is refused. Cost: linear in the state.
  public func restore(_ image: StateImage) throws(AdoptionProblem) {
    if image.program != plan.textHash { throw .image(.otherProgram) }
    var image = image
    image.faults = image.faults.map(plan.core.sources.withHost)
    let check: ImageCheck
    do throws(ImageProblem) {
      check = try ImageCheck(image, plan, shapes: heap.shapes, hostTasks: plan.hostTasks(of: image))
    } catch { throw .image(error) }
    _ = try resume(image, PlanMatch(old: plan, new: plan), hostFunction: { $0 }, check: check.objects)
    _ = renewContinuous()
  }

  /// `check`: what remains to be checked, of an image from outside.
  private func resume(
    _ image: StateImage, _ match: PlanMatch, hostFunction: @escaping (Int) -> Int?, check: ObjectCheck? = nil
  ) throws(AdoptionProblem) -> AdoptionReport {
    if hasStarted || isRunning { throw .notBetweenInstants }
    let objects: ObjectReader
    do throws(Fault) {
      objects = try ObjectReader(image, machine)
    } catch { throw .fault(error, definition: "") }
    if let check {
      if !objects.areInOrder(check.mapNodes, heap) { throw .image(.damaged) }
      for (number, host) in check.renumbered { objects[number].address[1] = Word(int: host) }
    }
    live.hasStarted = true
    live.hasValues = true
    live.now = Moment(nanoseconds: image.nanoseconds, step: image.step)
    live.now.seconds = image.seconds
    live.hasStepped = image.hasStepped
    let adoption = Adoption(match, objects, hostFunction: hostFunction)
    do throws(Fault) {
      beginInstant()
      try resumeProgram(image, adoption)
      live.isOver = image.isOver
      return match.report(alsoRestarted: adoption.lost)
    } catch {
      let name = definition(of: error)
      undoInstant()
      endResuming()
      live.isOver = true
      if adoption.isDamaged { throw .image(.damaged) }
      throw .fault(error, definition: name)
    }
  }

  private func resumeProgram(_ image: StateImage, _ adoption: Adoption) throws(Fault) {
    live.adoption = adoption
    live.isAdopting = true
    enroll(live.root, parent: nil, owner: -1)
    live.root.pointee.birthDepth = 0
    adoption.images[live.root] = image.root
    try startFrame(live.root, isGroup: false)
    try run(live.root, below: templates[0].count)
    if live.isOverMemory { throw live.isOverQueue ? Fault.queue : Fault.memory }
    armResumed(adoption)
    try beginNewSources(adoption)
    live.touchedOutputs.removeAll()
    live.startEntries.removeAll()
    commit()
    settleBirth(live.root)
    endResuming()
    checkInvariants()
    collectIfNeeded()
  }

  private func endResuming() {
    live.isAdopting = false
    live.adoption = nil
    live.isRunning = false
  }

  private func armResumed(_ adoption: Adoption) {
    for timer in adoption.timers.sorted(by: { $0.image.order < $1.image.order }) {
      let row = live.timers.make(for: EntrySite(timer.frame, Int(timer.entry)), tag: max(0, timer.step))
      if let word = timer.word {
        word.pointee = Word(row) + 1
      } else {
        live.tasks.steps[Int(timer.step)].timer = Word(row) + 1
      }
      live.timers.arm(row, due: timer.image.due)
    }
  }

  // MARK: Values

  private func word(_ word: Word, _ type: TypeID) -> Word {
    guard let adoption = live.adoption, heap.shapes.isReference(type) else { return word }
    return adoption.objects.reference(word)
  }

  /// Puts what an entry remembers in place; false if it begins anew.
  func resumeValue(_ site: EntrySite) throws(Fault) -> Bool {
    let (frame, entry) = (site.frame, site.entry)
    guard let adoption = live.adoption, let image = adoption.image(frame, entry.pointee), !image.isPoisoned else {
      return false
    }
    if entry.pointee.kind.ownsScopes || entry.pointee.kind == .crossing || entry.pointee.kind == .rounding {
      return false
    }
    if entry.pointee.kind == .perform, !takesTasks(image, adoption, node: entry.pointee.node) { return false }
    if entry.pointee.kind == .awaited {
      guard let number = image.words.first else { return false }
      live.awaits.keep(number)
      try startAwaited(site, number: number)
      return true
    }
    if entry.pointee.keepsValue { begin(site, word(image.value, entry.pointee.type)) }
    if entry.pointee.state < 0 { return true }
    try resumeParts(site, from: image, of: adoption)
    // Another text may have mended what let it stand still.
    if entry.pointee.kind == .integral, !adoption.match.isSame { site.state[StandingState.flags] = 0 }
    return true
  }

  private func resumeParts(_ site: EntrySite, from image: NodeImage, of adoption: Adoption) throws(Fault) {
    let (entry, state) = (site.entry, site.state)
    let shape = entry.pointee.kind.state
    // Another version of the program may have another operator in this place, with other words.
    let hasWords = image.words.count == shape.imageWords
    var queues = image.queues[...]
    for part in shape.parts {
      switch part {
      case .plain(let offset), .number(let offset), .float(let offset):
        if hasWords { state[offset] = image.words[offset] }
      case .value(let offset, let content, _):
        if hasWords { state[offset] = word(image.words[offset], entry.pointee.type(of: content, heap.shapes)) }
      case .queue(let offset, let width, let content):
        guard let words = queues.popFirst() else { continue }
        fill(Queue(state + offset, width: width), entry.pointee.type(of: content, heap.shapes), words: words)
      case .timer:
        guard let timer = image.timer else { continue }
        adoption.timers.append(
          ResumedTimer(
            image: timer, frame: site.frame, entry: Int32(site.index), word: state + TimedState.timer, step: -1))
      case .tasks:
        startPolicy(state, try plain(site))
        resumeTasks(site, image.runs, of: adoption)
      case .remembered: break
      case .scopes: break  // Those start with what depends on others.
      }
    }
  }

  private func fill(_ queue: Queue, _ type: TypeID, words: [Word]) {
    for start in stride(from: 0, to: words.count - queue.width + 1, by: queue.width) {
      let value = word(words[start + queue.width - 1], type)
      if queue.width == 2 { append(queue, words[start], second: value) } else { append(queue, value) }
    }
  }

  // MARK: What follows

  /// Puts the scopes of an owner in place, and what depends on them; false if the entry starts as it always does.
  func resumeDependent(_ site: EntrySite) throws(Fault) -> Bool {
    let (frame, entry) = (site.frame, site.entry)
    if entry.pointee.kind == .busy {
      resumeBusy(site)
      return true
    }
    if entry.pointee.kind == .link {
      begin(site, try link(site))
      return true
    }
    guard let adoption = live.adoption, let image = adoption.image(frame, entry.pointee), !image.isPoisoned else {
      return false
    }
    guard let owner = entry.pointee.kind.owner else { return resumeSlot(site, image, isSame: adoption.match.isSame) }
    switch owner {
    // Those begin as always, and find what they go on with; see `findImage(of:)`.
    case .members, .choice: return false
    case .keys, .occurrences:
      for child in image.children { _ = try resume(child, site) }
      return true
    case .groups:
      for child in image.children { _ = try resume(child, site) }
      if !entry.pointee.isContinuous { try resumeMap(site) }
      return true
    case .latest, .pause, .behavior, .results:
      guard image.children.indices.contains(image.current) else { return false }
      if owner == .results, beganWith(entry.pointee.count, image, adoption: adoption) { return false }
      let child = try resume(image.children[image.current], site)
      let state = frame.pointee.state + Int(entry.pointee.state)
      state[OwnerState.current] = word(child)
      state[OwnerState.previous] = word(child)
      try resumeParts(site, from: image, of: adoption)
      if owner == .behavior, !entry.pointee.isContinuous {
        try startResult(site, child.pointee.template.pointee.results[0], of: child)
      }
      return true
    }
  }

  /// The same of an entry that has no scopes.
  private func resumeSlot(_ site: EntrySite, _ image: NodeImage, isSame: Bool) -> Bool {
    switch site.entry.pointee.kind {
    case .delayBehavior: return !site.entry.pointee.isContinuous
    // Its first value has been shown.
    case .updates: return true
    case .crossing where isSame:
      begin(site, image.value & 1)
      if image.words.count == StandingState.words {
        site.state[StandingState.flags] = image.words[StandingState.flags]
      }
    case .rounding where isSame: begin(site, image.value)
    default: return false
    }
    return true
  }

  /// Whether the instance that counted was one of the scope of a template that has no parameters.
  private func beganWith(_ template: Int32, _ image: NodeImage, adoption: Adoption) -> Bool {
    guard image.children.indices.contains(image.current) else { return false }
    let scope = plan.templates[Int(template)].scope
    return adoption.match.scopes[scope]?.raw == image.children[image.current].template
  }

  private func resume(_ image: FrameImage, _ site: EntrySite) throws(Fault)
    -> FrameRef
  {
    let child = try birth(site, Int(site.entry.pointee.child))
    live.adoption?.images[child] = image
    let parameters = plan.templates[Int(site.entry.pointee.child)].parameters
    for (place, local) in parameters.enumerated() where place < image.parameters.count {
      setParameter(child, place, to: word(image.parameters[place], plan.core.localTypes[local.index]))
    }
    if site.entry.pointee.kind.owner?.isKeyed == true {
      child.pointee.key = word(image.key, site.entry.pointee.keyType)
      let table = KeyTable(site.state + OwnerState.table)
      let (key, type) = (child.pointee.key, site.entry.pointee.keyType)
      if table.find(heap.hash(key, type), { heap.equal($0.pointee.key, key, type: type) }) != nil {
        live.adoption?.isDamaged = true
        throw Fault(.message, "two scopes of one key")
      }
      table.insert(child, keyType: type, heap: heap)
    }
    try startFrame(child, isGroup: false)
    return child
  }

  /// The map of a `groupBy`, from its groups.
  private func resumeMap(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let shape = MapShape(heap.shapes, site.entry.pointee.type)
    var map = Word.emptyMap
    do throws(Fault) {
      var next = self.frame(state[OwnerState.firstChild])
      while let child = next {
        next = child.pointee.nextSibling
        map = try heap.mapSet(map, child.pointee.key, value: try result(child, old: false), shape: shape)
      }
    } catch {
      return try beginFault(site, error)
    }
    begin(site, map)
  }

  private func resumeBusy(_ site: EntrySite) { begin(site, Word(bool: isBusy(site))) }

  /// Finds with what a new frame of an `each` or a choice goes on.
  func findImage(of frame: FrameRef) {
    guard let adoption = live.adoption, adoption.images[frame] == nil, let parent = frame.pointee.parent else { return }
    let entry = parent.pointee.template.pointee.entries[Int(frame.pointee.owner)]
    guard let image = adoption.image(parent, entry) else { return }
    switch entry.kind.owner {
    case .members:
      let owner = RowOwner(frame: UInt(bitPattern: parent), entry: frame.pointee.owner)
      guard let child = adoption.child(image, owner, key: frame.pointee.key, type: entry.keyType, heap: heap) else {
        return
      }
      adoption.images[frame] = child
      // An equal key; but what it shares with other values is what it shared.
      frame.pointee.key = word(child.key, entry.keyType)
      setParameter(frame, 0, to: frame.pointee.key)
    case .results:
      guard beganWith(Int32(frame.pointee.template.pointee.index), image, adoption: adoption) else { return }
      adoption.images[frame] = image.children[image.current]
    case .choice:
      let scope = plan.templates[frame.pointee.template.pointee.index].scope
      guard let child = image.children.first, adoption.match.scopes[scope]?.raw == child.template else { return }
      adoption.images[frame] = child
    case .occurrences, .latest, .pause, .behavior, .keys, .groups, nil: break
    }
  }

  // MARK: Tasks

  /// Whether the tasks of a `perform`, under way and waiting for their turn, can go on here; if so they are made ready.
  private func takesTasks(_ image: NodeImage, _ adoption: Adoption, node: NodeID) -> Bool {
    let words = image.runs.flatMap(\.steps).map(\.task) + image.queues.flatMap { $0 }
    let tasks = words.map { TaskValue(adoption.objects.reference($0)) }
    if !tasks.allSatisfy(adoption.isPortable) {
      adoption.lost[node] = "a task was under way"
      return false
    }
    for task in tasks { adoption.translate(task) }
    return true
  }

  private func resumeTasks(
    _ site: EntrySite, _ runs: [RunImage], of adoption: Adoption
  ) {
    for image in runs {
      let run = live.tasks.makeRun(PerformRef(site), began: 0)
      linkRun(run)
      site.state[PerformState.busyCount] += 1
      var numbers: [Int32] = []
      for step in image.steps {
        let parent = numbers.indices.contains(step.parent) ? numbers[step.parent] : -1
        numbers.append(resume(step, run: run, parent: parent, site, of: adoption))
      }
      live.tasks.runs[Int(run)].root = numbers.first ?? -1
      resumeLink(run, image.link, of: adoption)
    }
  }

  private func resume(
    _ image: StepImage, run: Int32, parent: Int32, _ site: EntrySite, of adoption: Adoption
  ) -> Int32 {
    let task = adoption.objects.reference(image.task)
    let step = live.tasks.makeStep(task, run: run, parent: parent, place: Int(image.place))
    let row = live.tasks.steps + Int(step)
    row.pointee.count = image.count
    if image.hasValues {
      let values = Address.allocate(capacity: max(1, image.values.count))
      let hasReferences = TaskValue(task).hasReferences
      for (place, word) in image.values.enumerated() {
        values[place] = hasReferences ? adoption.objects.reference(word) : word
      }
      row.pointee.values = Word(values)
      row.pointee.partCount = image.values.count
    }
    if let timer = image.timer {
      adoption.timers.append(
        ResumedTimer(image: timer, frame: site.frame, entry: Int32(site.index), word: nil, step: step))
    }
    if TaskValue(task).kind == .awaited {
      let token = TaskToken(step: step, serial: row.pointee.serial)
      live.awaits.wait(TaskValue(task).awaitNumber, Awaiting(token: token, since: 0))
    }
    if TaskValue(task).kind == .host {
      let token = TaskToken(step: step, serial: row.pointee.serial)
      resumeHost(token, image.origin.token)
      if image.number > 0 { restoredNumbers[token] = image.number }
    }
    return step
  }

  /// The host goes on with what it was doing, if it is the same run; else it begins once more.
  private func resumeHost(_ token: TaskToken, _ before: TaskToken?) {
    guard keepsHostTasks, let before else {
      live.hasTaskWork = true
      live.hostStarts.append(token)
      return
    }
    let step = live.tasks.steps + Int(token.step)
    step.pointee.isHosts = true
    resumedHostTasks.append((before, token, TaskValue(step.pointee.task).hostFunction))
  }
}
