// Whether an image fits its program: every frame, entry, queue, timer and step of a task, before any of it is used.
//
// In:  an image and the plan of its program. Out: nothing, or that the image is damaged.

import FRPBase
import FRPCore
import FRPGraph

struct ImageCheck {
  private let image: StateImage
  private let plan: Plan
  private let shapes: TypeShapes
  private(set) var objects: ObjectCheck
  private var pending: [FrameImage] = []
  /// The numbers of the host's tasks.
  private var numbers: Set<Int> = []
  /// By template: its entries that remember.
  private var remembering: [[Entry]]

  init(_ image: StateImage, _ plan: Plan, shapes: TypeShapes, hostTasks: [Int: HostTaskImage])
    throws(ImageProblem)
  {
    guard let layout = ObjectLayout(image.objects, count: image.objectCount, faults: image.faults.count) else {
      throw .damaged
    }
    self.image = image
    self.plan = plan
    self.shapes = shapes
    objects = ObjectCheck(layout, plan, shapes: shapes, hostTasks: hostTasks)
    remembering = plan.templates.map { $0.entries.filter { $0.kind.remembers } }
    guard image.root.template == 0, hasClock(), isFrame(image.root, key: nil) else { throw .damaged }
    while let frame = pending.popLast() {
      guard isFrame(frame, key: plan.keyType(of: frame.template)) else { throw .damaged }
    }
    guard objects.finish() else { throw .damaged }
  }

  private func hasClock() -> Bool {
    guard image.nanoseconds >= 0, image.seconds.isFinite, image.seconds >= 0, image.epoch?.isFinite != false else {
      return false
    }
    return image.seconds == Double(image.nanoseconds) / 1e9 || Clock.nanoseconds(image.seconds) == image.nanoseconds
  }

  // MARK: Frames

  /// `key` is the type of the frame's key; nil if it has none.
  private mutating func isFrame(_ frame: FrameImage, key: TypeID?) -> Bool {
    let index = Int(frame.template)
    let parameters = plan.templates[index].parameters
    guard frame.nodes.count == remembering[index].count, frame.parameters.count == parameters.count else {
      return false
    }
    if let key, !objects.isKey(frame.key, key) { return false }
    for (word, local) in zip(frame.parameters, parameters) {
      if !objects.isValue(word, plan.core.localTypes[local.index]) { return false }
    }
    for (node, entry) in zip(frame.nodes, remembering[index]) where !isNode(node, entry) { return false }
    return true
  }

  private mutating func isNode(_ node: NodeImage, _ entry: Entry) -> Bool {
    if entry.keepsValue, !node.isPoisoned, entry.kind != .crossing, !objects.isValue(node.value, entry.type) {
      return false
    }
    if !hasParts(node, entry) { return false }
    guard node.children.isEmpty ? node.current == -1 : node.current < node.children.count else { return false }
    if entry.kind != .perform { return node.runs.isEmpty }
    let result = entry.performsSources ? entry.keyType : shapes.fieldType(entry.type, tag: 0, 0)
    return node.runs.allSatisfy { isRun($0, result, isSource: entry.performsSources) }
  }

  /// Whether an entry's private words are what its kind has.
  private mutating func hasParts(_ node: NodeImage, _ entry: Entry) -> Bool {
    let shape = entry.kind.state
    if entry.state < 0 {
      return node.words.isEmpty && node.queues.isEmpty && node.timer == nil && node.children.isEmpty
    }
    if node.words.count != shape.imageWords { return false }
    var (mayHaveTimer, mayHaveScopes) = (false, false)
    var queues = node.queues[...]
    for part in shape.parts {
      switch part {
      case .timer: mayHaveTimer = true
      case .scopes: mayHaveScopes = true
      case .plain, .tasks, .number, .remembered: break
      case .float(let offset): if !node.isPoisoned, !node.words[offset].float.isFinite { return false }
      case .value(let offset, let content, let inUse):
        let word = node.words[offset]
        if node.isPoisoned || word == 0 && inUse.map({ node.words[$0] == 0 }) == true { continue }
        if !objects.isValue(word, entry.type(of: content, shapes)) { return false }
      case .queue(_, let width, let content):
        guard let queue = queues.popFirst(), isQueue(queue, width, content: content, entry: entry) else { return false }
      }
    }
    if !node.isPoisoned, !isConsistent(node, shape.rule) { return false }
    return queues.isEmpty && hasTimer(node.timer, if: mayHaveTimer)
      && (node.children.isEmpty || mayHaveScopes && ownsChildren(node, entry))
  }

  /// Whether the plain words of an entry fit the rest of it, where it relies on that.
  private func isConsistent(_ node: NodeImage, _ rule: StateRule) -> Bool {
    switch rule {
    case .none: return true
    case .ticks: return ticks(node)
    case .slides:
      let (count, step) = (node.words[SlidingState.count].int, node.words[SlidingState.step].int)
      let left = node.words[SlidingState.left].int
      guard count > 0, step > 0, left > 0, left <= max(count, step) else { return false }
      return node.queues[0].count == max(0, count - left)
    case .joins:
      let (joined, joinedAnew) = (node.words[TimedState.joined].int, node.words[TimedState.joinedAnew].int)
      let count = node.queues[0].count / 2
      // As long as there is no newest, all are joined, or are to be joined anew.
      guard 0...count ~= joined, 0...max(0, count - 1) ~= joinedAnew else { return false }
      return joined < count ? joined == 0 || node.words[TimedState.hasNewest] != 0 : true
    }
  }

  /// Whether an `every` waits for the tick that its words say is next.
  private func ticks(_ node: NodeImage) -> Bool {
    let due = node.words.withUnsafeBufferPointer { $0.baseAddress.map(TimedState.nextTick) ?? Clock.never }
    return node.words[TimedState.period].float > 0 && due == node.timer?.due ?? Clock.never
  }

  private func hasTimer(_ timer: TimerImage?, if may: Bool) -> Bool {
    guard let timer else { return true }
    return may && timer.due >= image.nanoseconds
  }

  private mutating func ownsChildren(_ node: NodeImage, _ entry: Entry) -> Bool {
    let scopes = plan.core[entry.node].op.scopes
    for child in node.children {
      if !scopes.contains(where: { $0.raw == child.template }) { return false }
      pending.append(child)
    }
    return true
  }

  private mutating func isQueue(_ queue: [Word], _ width: Int, content: StateContent, entry: Entry) -> Bool {
    guard queue.count % width == 0 else { return false }
    for index in stride(from: width - 1, to: queue.count, by: width) {
      let fits =
        if case .task = content {
          entry.performsSources
            ? objects.isSource(queue[index], of: entry.keyType)
            : objects.isTask(queue[index], of: shapes.fieldType(entry.type, tag: 0, 0))
        } else {
          objects.isValue(queue[index], entry.type(of: content, shapes))
        }
      if !fits { return false }
    }
    return true
  }

  // MARK: Tasks

  /// What a step is known to be from the one it is part of.
  private struct StepType {
    var result: TypeID
    /// Parts that have not ended.
    var places: Set<Int32> = []
  }

  private mutating func isRun(_ run: RunImage, _ result: TypeID, isSource: Bool) -> Bool {
    if let link = run.link, !isSource || !isLink(link) { return false }
    var types: [StepType] = []
    for (number, step) in run.steps.enumerated() {
      var type = result
      if number == 0 {
        if step.parent != -1 { return false }
      } else {
        guard types.indices.contains(step.parent),
          let part = objects.part(
            run.steps[step.parent].task, types[step.parent].result, at: Int(step.place),
            hasBegunSecond: run.steps[step.parent].count != 0, is: step.task),
          types[step.parent].places.insert(step.place).inserted
        else { return false }
        type = part
      }
      let fits = isSource ? objects.isSource(step.task, of: type) : objects.isTask(step.task, of: type)
      guard fits, isStep(step) else { return false }
      types.append(StepType(result: type))
    }
    for (step, type) in zip(run.steps, types) {
      // An `all` with parts under way has a place for the value of each.
      let hasNone = !step.hasValues && step.values.isEmpty && !(objects.needsValues(step.task) && step.count > 0)
      if hasNone ? objects.needsValues(step.task) && !type.places.isEmpty : !hasValues(step, type) { return false }
    }
    return !run.steps.isEmpty
  }

  private mutating func isLink(_ link: LinkImage) -> Bool {
    link.link == .retrying ? objects.isValue(link.text, .string) : link.link != .idle && link.text == 0
  }

  private mutating func isStep(_ step: StepImage) -> Bool {
    if step.number != 0, step.number > image.begunTasks || !numbers.insert(step.number).inserted { return false }
    return hasTimer(step.timer, if: true) && step.count >= 0 && step.count < 1 << 40 && step.place >= 0
  }

  /// The values of the parts of an `all` that have ended.
  private mutating func hasValues(_ step: StepImage, _ type: StepType) -> Bool {
    guard step.hasValues, objects.needsValues(step.task), case .list(let element) = shapes.types[type.result],
      objects.partCount(step.task) == step.values.count, step.count == type.places.count, step.count > 0
    else { return false }
    for (place, word) in step.values.enumerated() {
      if type.places.contains(Int32(place)) {
        if word != 0 { return false }
      } else if !objects.isValue(word, element) {
        return false
      }
    }
    return true
  }
}

extension Plan {
  /// The type of the keys of a template's scopes; nil if they have none.
  fileprivate func keyType(of template: Int32) -> TypeID? {
    let scope = templates[Int(template)]
    guard scope.parent >= 0, scope.owner >= 0 else { return nil }
    let entry = templates[Int(scope.parent)].entries[Int(scope.owner)]
    return entry.kind.owner?.isKeyed == true ? entry.keyType : nil
  }
}

extension ObjectCheck {
  private func task(_ word: Word) -> (number: Int, kind: TaskKind)? {
    guard let number = layout.number(word), layout.kind(number) == ObjectKind.fields.rawValue,
      let kind = TaskKind(rawValue: layout.header(number).tag), layout.header(number).fieldCount > 0
    else { return nil }
    return (number, kind)
  }

  /// Whether a task is an `all`, whose step keeps the values of its parts.
  func needsValues(_ word: Word) -> Bool { task(word)?.kind == .all }

  private func list(_ word: Word) -> (buffer: Int, offset: Int, count: Int)? {
    guard let list = layout.number(word), layout.kind(list) == ObjectKind.list.rawValue,
      let buffer = layout.number(layout.field(list, 0))
    else { return nil }
    return (buffer, Int(layout.field(list, 1)), Int(layout.field(list, 2)))
  }

  /// How many parts an `all` or a `race` has.
  func partCount(_ word: Word) -> Int? { task(word).flatMap { list(layout.field($0.number, 0))?.count } }

  /// What part `place` of a task gives, if `part` can be that part of it.
  func part(_ word: Word, _ result: TypeID, at place: Int, hasBegunSecond: Bool, is part: Word) -> TypeID? {
    guard let (number, kind) = task(word) else { return nil }
    let first = layout.field(number, 0)
    switch kind {
    case .succeed, .fail, .after, .host, .awaited, .lane: return nil
    case .standIn: return place == 1 && part == layout.field(number, 1) ? result : nil
    case .retry, .retryWith, .timeout, .reconnect: return place == 0 && part == first ? result : nil
    case .map, .sourceMap, .sourceFilterMap:
      return place == 0 && part == first ? innerResult(number, kind, result: result) : nil
    case .andThen, .recover:
      if hasBegunSecond { return place == 1 ? result : nil }
      return place == 0 && part == first ? innerResult(number, kind, result: result) : nil
    case .all, .race:
      guard let list = list(first), place < list.count, place >= 0,
        layout.field(list.buffer, 1 + list.offset + place) == part
      else { return nil }
      if kind == .race { return result }
      guard case .list(let element) = shapes.types[result] else { return nil }
      return element
    }
  }
}
