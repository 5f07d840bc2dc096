// Reactor -> StateImage. Between instants only; nothing changes but that what is already caused happens first.

import FRPCore
import FRPGraph

/// Why a reactor's state cannot be written down.
public enum StateProblem: Error, Sendable, Hashable {
  /// A callback asked, in the middle of an instant; or the run has not started.
  case notBetweenInstants
  /// This definition delays a continuous behavior, whose past is not kept in images.
  case pastOfContinuous(definition: String)
}

extension Reactor {
  /// All that is remembered. Runs what is already caused at the present moment first. Cost: linear in the live state.
  ///
  /// `begunTasks`: how many tasks of the host have begun by then, which the reactor does not count.
  public func image(begunTasks: @autoclosure () -> Int = 0) throws(StateProblem) -> StateImage {
    try settle()
    var image = writeImage()
    image.begunTasks = begunTasks()
    return image
  }

  /// Brings the run to where `image` changes nothing, and what is integrated to where it goes on exactly as in a run that is restored from that
  /// image; throws what `image` would throw. Whether there was anything of that kind. Cost: O(1), and where there are continuous behaviors
  /// linear in the scopes.
  public func settleForImage() throws(StateProblem) -> Bool {
    try settle()
    guard let solver = live.solver else { return false }
    solver.tellWhatStands()
    solver.noteWhatStands()
    return renewContinuous()
  }

  private func settle() throws(StateProblem) {
    if isRunning || !live.hasValues { throw .notBetweenInstants }
    while runCaused() {}
    live.solver?.bringToPresent()
    if let delayed = delayedContinuous { throw .pastOfContinuous(definition: delayed) }
  }

  /// All live scopes, in the order in which they come back from an image.
  func forEachFrame(_ body: (FrameRef) -> Void) { forEachFrame(in: live.root, body) }

  private func forEachFrame(in frame: FrameRef, _ body: (FrameRef) -> Void) {
    body(frame)
    let template = frame.pointee.template
    for index in 0..<template.pointee.count {
      let entry = template.pointee.entries[index]
      guard entry.kind.remembers, entry.state >= 0 else { continue }
      for case .scopes(let owner) in entry.kind.state.parts {
        for child in children(frame.pointee.state + Int(entry.state), owner) { forEachFrame(in: child, body) }
      }
    }
  }

  /// The scopes of an owner: by age, or as its list has them.
  fileprivate func children(_ state: Address, _ owner: ScopeOwner) -> [FrameRef] {
    if owner == .members {
      return (0..<Int(state[OwnerState.orderCount])).compactMap { frame(state[OwnerState.order].address[$0]) }
    }
    var children: [FrameRef] = []
    var next = frame(state[OwnerState.firstChild])
    while let child = next {
      children.append(child)
      next = child.pointee.nextSibling
    }
    return children
  }

  /// The definition of a live delay of a continuous behavior, if there is one.
  private var delayedContinuous: String? {
    if !live.hasSolver { return nil }
    for number in 0..<live.frames.count {
      guard let frame = live.frames.frames[number] else { continue }
      let template = frame.pointee.template
      for index in 0..<template.pointee.count {
        let entry = template.pointee.entries[index]
        if entry.kind == .delayBehavior, entry.isContinuous { return plan.core[entry.node].definition }
      }
    }
    return nil
  }

  /// The same without that check: what cannot be written is left out.
  func imageForAdoption() throws(StateProblem) -> StateImage {
    if isRunning || !live.hasValues { throw .notBetweenInstants }
    while runCaused() {}
    live.solver?.bringToPresent()
    return writeImage()
  }

  private func writeImage() -> StateImage {
    collect()
    live.solver?.noteWhatStands()
    var writer = ImageWriter(reactor: self)
    let image = writer.image(live.root)
    writer.objects.finish()
    var state = StateImage(
      program: plan.textHash, nanoseconds: now.nanoseconds, seconds: now.seconds, step: now.step,
      hasStepped: live.hasStepped, isOver: isOver, root: image, objects: writer.objects.words,
      objectCount: writer.objects.count, faults: writer.objects.faults.map(plan.core.sources.withoutHost),
      hostTasks: plan.hostTaskNames)
    state.epoch = machine.library.epoch
    return state
  }
}

/// Walks the frames of a reactor.
struct ImageWriter {
  let reactor: Reactor
  var objects: ObjectWriter
  private let ranks: [Int32: UInt64]
  private let hostNumbers: [TaskToken: Int]

  init(reactor: Reactor) {
    self.reactor = reactor
    objects = ObjectWriter(reactor.machine.cells)
    ranks = reactor.live.timers.ranks()
    hostNumbers = reactor.hostTaskNumbers?() ?? [:]
  }

  private var shapes: TypeShapes { reactor.heap.shapes }

  private mutating func value(_ word: Word, _ type: TypeID) -> Word {
    shapes.isReference(type) ? objects.reference(word) : word
  }

  /// Depth: that of the nesting of scopes in the program's text.
  mutating func image(_ frame: FrameRef) -> FrameImage {
    let template = frame.pointee.template
    let core = reactor.plan.core
    var image = FrameImage(template: Int32(template.pointee.index))
    if let parent = frame.pointee.parent {
      let owner = parent.pointee.template.pointee.entries[Int(frame.pointee.owner)]
      image.key = value(frame.pointee.key, owner.keyType)
    }
    for (place, local) in reactor.plan.templates[template.pointee.index].parameters.enumerated() {
      image.parameters.append(value(frame.pointee.new[Layout.header + place], core.localTypes[local.index]))
    }
    for index in 0..<template.pointee.count where template.pointee.entries[index].kind.remembers {
      image.nodes.append(self.image(frame, template.pointee.entries[index]))
    }
    return image
  }

  private mutating func image(_ frame: FrameRef, _ entry: Entry) -> NodeImage {
    var image = NodeImage()
    if entry.keepsValue {
      let slot = frame.pointee.new + Int(entry.slot)
      image.isPoisoned = reactor.machine.poison(at: slot) != nil
      image.value = image.isPoisoned ? 0 : value(slot.pointee, entry.type)
    }
    if entry.state < 0 { return image }
    let state = frame.pointee.state + Int(entry.state)
    let shape = entry.kind.state
    image.words = [Word](repeating: 0, count: shape.imageWords)
    for part in shape.parts {
      switch part {
      case .timer: image.timer = timer(state[TimedState.timer])
      case .plain(let offset), .number(let offset), .float(let offset): image.words[offset] = state[offset]
      case .value(let offset, let content, _):
        image.words[offset] = value(state[offset], entry.type(of: content, shapes))
      case .remembered: break
      case .queue(let offset, let width, let content):
        image.queues.append(queue(Queue(state + offset, width: width), entry.type(of: content, shapes)))
      case .scopes(let owner): addChildren(state, owner, image: &image)
      case .tasks: addRuns(state, &image, areSources: entry.performsSources)
      }
    }
    return image
  }

  private func timer(_ word: Word) -> TimerImage? {
    if !reactor.isArmed(word) { return nil }
    let row = Int32(word - 1)
    return TimerImage(due: reactor.live.timers.rows[Int(row)].due, order: ranks[row] ?? 0)
  }

  private mutating func queue(_ queue: Queue, _ type: TypeID) -> [Word] {
    var words: [Word] = []
    for index in 0..<queue.count {
      let element = queue.element(index)
      if queue.width == 2 { words.append(element[0]) }
      words.append(value(element[queue.width - 1], type))
    }
    return words
  }

  private mutating func addChildren(_ state: Address, _ owner: ScopeOwner, image: inout NodeImage) {
    let current = owner == .members ? nil : reactor.frame(state[OwnerState.current])
    for child in reactor.children(state, owner) {
      if child == current { image.current = image.children.count }
      image.children.append(self.image(child))
    }
  }

  // MARK: Tasks

  private mutating func addRuns(_ state: Address, _ image: inout NodeImage, areSources: Bool) {
    var run = Int32(truncatingIfNeeded: Int(state[PerformState.firstRun]) - 1)
    while run >= 0 {
      let row = reactor.live.tasks.runs[Int(run)]
      if row.root >= 0 {
        image.runs.append(RunImage(steps: steps(row.root), link: areSources ? link(row) : nil))
      }
      run = row.next
    }
  }

  private mutating func link(_ row: TaskRun) -> LinkImage {
    LinkImage(link: row.link, text: row.link == .retrying ? value(row.linkText, .string) : 0)
  }

  private mutating func steps(_ root: Int32) -> [StepImage] {
    var order = [root]
    var images = [step(root, parent: -1)]
    var next = 0
    while next < order.count {
      var parts: [Int32] = []
      var part = reactor.live.tasks.steps[Int(order[next])].firstPart
      while part >= 0 {
        parts.append(part)
        part = reactor.live.tasks.steps[Int(part)].nextPart
      }
      for part in parts.reversed() {
        order.append(part)
        images.append(step(part, parent: next))
      }
      next += 1
    }
    return images
  }

  private mutating func step(_ number: Int32, parent: Int) -> StepImage {
    let row = reactor.live.tasks.steps[Int(number)]
    var image = StepImage(
      task: objects.reference(row.task), parent: parent, place: row.place, count: row.count, values: [],
      hasValues: row.values != 0, timer: timer(row.timer))
    if row.isHosts {
      let token = TaskToken(step: number, serial: row.serial)
      image.origin.token = token
      image.number = hostNumbers[token] ?? 0
    }
    if row.values == 0 { return image }
    let hasReferences = TaskValue(row.task).hasReferences
    for place in 0..<row.partCount {
      let word = row.values.address[place]
      image.values.append(hasReferences ? objects.reference(word) : word)
    }
    return image
  }
}
