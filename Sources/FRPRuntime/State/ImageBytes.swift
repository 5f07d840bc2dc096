// An image as bytes: what a snapshot is on disk.
//
// Layout: the eight letters "frpstate", then numbers of seven bits a byte, lowest first, the eighth bit saying that more
// follow: version, program, clock, flags, the moment of time 0, root frame, objects, faults and the host's tasks if there are any; at last the hash of all bytes before it (8 bytes).
// Images of old have neither the moment nor how sources stand: flags say whether they are there.
// What is read here has the right form, and no more: whether it fits a program is for `ImageCheck`.

import FRPBase
import FRPCore
import FRPGraph

extension StateImage {
  /// The version of the layout; older ones are refused.
  public static let version: UInt64 = 1
  private static let letters = Array("frpstate".utf8)

  /// Equal states have equal bytes.
  public var bytes: [UInt8] {
    var out = ByteWriter(bytes: StateImage.letters)
    out.put(StateImage.version)
    out.put(program)
    out.put(UInt64(bitPattern: nanoseconds))
    out.put(seconds.bitPattern)
    out.put(UInt64(step))
    out.hasLinks = root.hasLinks
    out.put((hasStepped ? 1 : 0) | (isOver ? 2 : 0) | (epoch != nil ? 4 : 0) | (out.hasLinks ? 8 : 0))
    if let epoch { out.put(epoch.bitPattern) }
    out.put(root)
    out.put(UInt64(objectCount))
    out.put(objects)
    if !faults.isEmpty || !hostTasks.isEmpty { out.put(faults) }
    if !hostTasks.isEmpty {
      out.put(hostTasks)
      out.put(UInt64(begunTasks))
    }
    return StateImage.sealed(out.bytes)
  }

  /// The bytes with their hash behind them. The hash tells what was damaged by chance, not what was made with intent.
  package static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var hash = TextHash()
    for byte in bytes { hash.mix(byte) }
    return bytes + stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: hash.value >> UInt64($0)) }
  }

  /// Reads what `bytes` gave.
  public init(bytes: [UInt8]) throws(ImageProblem) {
    guard bytes.count > 16, bytes.starts(with: StateImage.letters) else { throw .damaged }
    var hash = TextHash()
    for byte in bytes.dropLast(8) { hash.mix(byte) }
    let wanted = bytes.suffix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    if hash.value != wanted { throw .damaged }
    var input = ByteReader(bytes: bytes.dropLast(8), at: StateImage.letters.count)
    let version = try input.word()
    if version != StateImage.version { throw .version(version) }
    program = try input.word()
    nanoseconds = Int64(bitPattern: try input.word())
    seconds = Double(bitPattern: try input.word())
    step = try input.count(most: 1 << 40)
    let flags = try input.word()
    hasStepped = flags & 1 != 0
    isOver = flags & 2 != 0
    epoch = flags & 4 != 0 ? Double(bitPattern: try input.word()) : nil
    input.hasLinks = flags & 8 != 0
    root = try input.frame(depth: 0)
    objectCount = try input.count(most: 1 << 40)
    objects = try input.words()
    faults = input.at < bytes.count - 8 ? try input.faults() : []
    if input.at < bytes.count - 8 {
      hostTasks = try input.hostTasks()
      begunTasks = try input.count(most: 1 << 40)
    }
    if input.at != bytes.count - 8 { throw .damaged }
  }
}

private struct ByteWriter {
  var bytes: [UInt8]
  /// Whether each task under way says behind its steps how it stands.
  var hasLinks = false

  mutating func put(_ word: UInt64) {
    var rest = word
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func put(_ list: [UInt64]) {
    put(UInt64(list.count))
    for word in list { put(word) }
  }

  mutating func put(_ faults: [Fault]) {
    put(UInt64(faults.count))
    for fault in faults {
      let (kind, detail) = fault.kind.numbers
      put(kind)
      put(detail)
      put(UInt64(UInt32(bitPattern: Int32(fault.span.file.raw))))
      put(UInt64(UInt32(bitPattern: fault.span.start)))
      put(UInt64(UInt32(bitPattern: fault.span.end)))
      put(fault.text.utf8.map { UInt64($0) })
    }
  }

  mutating func put(_ tasks: [HostTaskName]) {
    put(UInt64(tasks.count))
    for task in tasks {
      put(UInt64(bitPattern: Int64(task.number)))
      put(task.text)
    }
  }

  private mutating func put(_ text: String) {
    put(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func put(_ timer: TimerImage?) {
    put(timer == nil ? 0 : 1)
    guard let timer else { return }
    put(UInt64(bitPattern: timer.due))
    put(timer.order)
  }

  mutating func put(_ frame: FrameImage) {
    put(UInt64(UInt32(bitPattern: frame.template)))
    put(frame.key)
    put(frame.parameters)
    put(UInt64(frame.nodes.count))
    for node in frame.nodes { put(node) }
  }

  mutating func put(_ node: NodeImage) {
    put(node.isPoisoned ? 1 : 0)
    put(node.value)
    put(node.words)
    put(node.timer)
    put(UInt64(node.queues.count))
    for queue in node.queues { put(queue) }
    put(UInt64(node.children.count))
    for child in node.children { put(child) }
    put(UInt64(node.current + 1))
    put(UInt64(node.runs.count))
    for run in node.runs {
      put(UInt64(run.steps.count))
      for step in run.steps { put(step) }
      if hasLinks { put(run.link) }
    }
  }

  private mutating func put(_ link: LinkImage?) {
    put(UInt64(link?.link.rawValue ?? 0))
    if let link, link.link == .retrying { put(link.text) }
  }

  mutating func put(_ step: StepImage) {
    put(step.task)
    put(UInt64(step.parent + 1))
    put(UInt64(UInt32(bitPattern: step.place)))
    put(UInt64(bitPattern: Int64(step.count)))
    put((step.hasValues ? 1 : 0) | UInt64(step.number) << 1)
    put(step.values)
    put(step.timer)
  }
}

private struct ByteReader {
  let bytes: ArraySlice<UInt8>
  var at: Int
  /// See `ByteWriter`.
  var hasLinks = false

  init(bytes: ArraySlice<UInt8>, at: Int) {
    self.bytes = bytes
    self.at = at
  }

  mutating func word() throws(ImageProblem) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.endIndex, shift < 64 {
      let byte = bytes[at]
      at += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return result }
      shift += 7
    }
    throw .damaged
  }

  /// A number of things, each of which takes a byte at least of those behind the number.
  mutating func count() throws(ImageProblem) -> Int {
    let count = try count(most: .max)
    if count > bytes.endIndex - at { throw .damaged }
    return count
  }

  mutating func count(most: Int) throws(ImageProblem) -> Int {
    let word = try word()
    if word > UInt64(max(0, most)) { throw .damaged }
    return Int(word)
  }

  mutating func words() throws(ImageProblem) -> [UInt64] {
    let count = try count()
    var list: [UInt64] = []
    list.reserveCapacity(count)
    for _ in 0..<count { list.append(try word()) }
    return list
  }

  mutating func faults() throws(ImageProblem) -> [Fault] {
    var list: [Fault] = []
    for _ in 0..<(try count()) {
      guard let kind = Fault.Kind(numbers: (try word(), try word())) else { throw .damaged }
      var span = Span(file: FileID(Int(try half())), start: 0, end: 0)
      span.start = try half()
      span.end = try half()
      let text = String(decoding: try words().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
      list.append(Fault(kind, text, at: span))
    }
    return list
  }

  mutating func hostTasks() throws(ImageProblem) -> [HostTaskName] {
    var list: [HostTaskName] = []
    for _ in 0..<(try count()) {
      let number = Int(Int64(bitPattern: try word()))
      let size = try count()
      let text = String(decoding: bytes[at..<at + size], as: UTF8.self)
      at += size
      list.append(HostTaskName(number: number, text: text))
    }
    return list
  }

  private mutating func half() throws(ImageProblem) -> Int32 {
    Int32(bitPattern: UInt32(truncatingIfNeeded: try word()))
  }

  mutating func timer() throws(ImageProblem) -> TimerImage? {
    if try word() == 0 { return nil }
    return TimerImage(due: Int64(bitPattern: try word()), order: try word())
  }

  /// No program of people nests scopes so deep; what does would overflow a small stack when it is released.
  private static let deepest = 500

  mutating func frame(depth: Int) throws(ImageProblem) -> FrameImage {
    if depth > ByteReader.deepest { throw .damaged }
    var frame = FrameImage(template: Int32(bitPattern: UInt32(truncatingIfNeeded: try word())))
    frame.key = try word()
    frame.parameters = try words()
    for _ in 0..<(try count()) { frame.nodes.append(try node(depth: depth)) }
    return frame
  }

  private mutating func node(depth: Int) throws(ImageProblem) -> NodeImage {
    var node = NodeImage()
    node.isPoisoned = try word() != 0
    node.value = try word()
    node.words = try words()
    node.timer = try timer()
    for _ in 0..<(try count()) { node.queues.append(try words()) }
    for _ in 0..<(try count()) { node.children.append(try frame(depth: depth + 1)) }
    node.current = try count(most: node.children.count) - 1
    for _ in 0..<(try count()) {
      var run = RunImage(steps: [])
      for _ in 0..<(try count()) { run.steps.append(try step()) }
      if hasLinks { run.link = try link() }
      node.runs.append(run)
    }
    return node
  }

  /// 0 stands for none: what is under way is not `idle`.
  private mutating func link() throws(ImageProblem) -> LinkImage? {
    guard let link = LinkCase(rawValue: try count(most: LinkCase.allCases.count)) else { throw .damaged }
    if link == .idle { return nil }
    return LinkImage(link: link, text: link == .retrying ? try word() : 0)
  }

  private mutating func step() throws(ImageProblem) -> StepImage {
    let task = try word()
    let parent = try count(most: Int.max) - 1
    let place = Int32(bitPattern: UInt32(truncatingIfNeeded: try word()))
    let count = Int(Int64(bitPattern: try word()))
    let flags = try word()
    return StepImage(
      task: task, parent: parent, place: place, count: count, values: try words(), hasValues: flags & 1 != 0,
      timer: try timer(), number: Int(flags >> 1))
  }
}

extension Fault.Kind {
  private static let limits: [Limit] = [
    .steps, .memory, .stack, .nodes, .occurrences, .microsteps, .queue, .time, .interruption,
  ]

  /// A number for the kind, and one for what it is about.
  fileprivate var numbers: (UInt64, UInt64) {
    switch self {
    case .divisionByZero: (0, 0)
    case .overflow: (1, 0)
    case .notFinite: (2, 0)
    case .indexOutOfRange: (3, 0)
    case .hostFailed(let function): (4, UInt64(bitPattern: Int64(function)))
    case .limit(let limit): (5, UInt64(Self.limits.firstIndex(of: limit) ?? 0))
    case .message: (6, 0)
    case .unsetInput(let input): (7, UInt64(bitPattern: Int64(input)))
    }
  }

  fileprivate init?(numbers: (UInt64, UInt64)) {
    switch numbers.0 {
    case 0: self = .divisionByZero
    case 1: self = .overflow
    case 2: self = .notFinite
    case 3: self = .indexOutOfRange
    case 4: self = .hostFailed(Int(Int64(bitPattern: numbers.1)))
    case 5:
      guard numbers.1 < UInt64(Self.limits.count) else { return nil }
      self = .limit(Self.limits[Int(numbers.1)])
    case 6: self = .message
    case 7: self = .unsetInput(Int(Int64(bitPattern: numbers.1)))
    default: return nil
    }
  }
}
