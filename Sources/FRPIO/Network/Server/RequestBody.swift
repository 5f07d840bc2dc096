// The body of a request: bytes of a length that was said, or chunks.

package struct RequestBody {
  package private(set) var bytes: [UInt8] = []
  private let limit: Int
  private var state: State

  private enum State: Equatable {
    case bytes(left: Int)
    /// The line of a chunk, and how much of it there was.
    case size(value: Int, digits: Int, isPast: Bool, count: Int)
    case data(left: Int)
    case breakAfterData(hasReturn: Bool)
    /// Lines after the last chunk, which nobody asked for.
    case trailer(line: Int, count: Int)
    case done
  }

  private static let lineLimit = 256
  private static let trailerLimit = 8 << 10
  private static let chunk = State.size(value: 0, digits: 0, isPast: false, count: 0)

  package init(_ length: RequestHead.BodyLength, limit: Int) throws(Refusal) {
    self.limit = limit
    switch length {
    case .none: state = .done
    case .bytes(let count):
      if count > limit { throw Self.tooLarge(limit) }
      state = .bytes(left: count)
    case .chunked: state = Self.chunk
    }
  }

  package var isWhole: Bool { state == .done }

  private static func tooLarge(_ limit: Int) -> Refusal { Refusal(413, "a body has at most \(limit) bytes") }
  private static let broken = Refusal(400, "the chunks of the body are not well written")

  /// Takes what belongs to it from `start` on; the index after that.
  package mutating func take(_ input: [UInt8], from start: Int) throws(Refusal) -> Int {
    var index = start
    while index < input.count, state != .done {
      switch state {
      case .bytes(let left):
        let end = min(input.count, index + left)
        bytes += input[index..<end]
        state = left == end - index ? .done : .bytes(left: left - (end - index))
        index = end
      case .data(let left):
        let end = min(input.count, index + left)
        bytes += input[index..<end]
        state = left == end - index ? .breakAfterData(hasReturn: false) : .data(left: left - (end - index))
        index = end
      default:
        try takeFraming(input[index])
        index += 1
      }
    }
    return index
  }

  private mutating func takeFraming(_ byte: UInt8) throws(Refusal) {
    switch state {
    case .size(let value, let digits, let isPast, let count):
      try takeSize(byte, value, digits, isPast, count)
    case .breakAfterData(let hasReturn):
      guard byte == (hasReturn ? 0x0A : 0x0D) else { throw Self.broken }
      state = hasReturn ? Self.chunk : .breakAfterData(hasReturn: true)
    case .trailer(let line, let count):
      if count >= Self.trailerLimit {
        throw Refusal(431, "what follows the chunks has at most \(Self.trailerLimit) bytes")
      }
      // CR counts for nothing: an empty line is one without other characters.
      let isEnd = byte == 0x0A
      state = isEnd && line == 0 ? .done : .trailer(line: isEnd ? 0 : byte == 0x0D ? line : line + 1, count: count + 1)
    case .bytes, .data, .done: break
    }
  }

  /// `1a2f;extension CR LF`
  private mutating func takeSize(
    _ byte: UInt8, _ value: Int, _ digits: Int, _ isPast: Bool, _ count: Int
  ) throws(Refusal) {
    if count >= Self.lineLimit { throw Self.broken }
    if byte == 0x0A {
      // The digits are past once their line's CR has come.
      guard digits > 0, isPast else { throw Self.broken }
      if value > limit - bytes.count { throw Self.tooLarge(limit) }
      state = value == 0 ? .trailer(line: 0, count: 0) : .data(left: value)
    } else if !isPast, let digit = HTTPText.digit(byte) {
      guard digits < 15 else { throw Self.broken }
      state = .size(value: value << 4 | Int(digit), digits: digits + 1, isPast: false, count: count + 1)
    } else {
      let isAllowed = isPast || byte == 0x0D || byte == 0x3B || byte == 0x20 || byte == 0x09
      guard digits > 0, isAllowed, byte == 0x0D || !HTTPText.isForbidden(byte) else { throw Self.broken }
      state = .size(value: value, digits: digits, isPast: true, count: count + 1)
    }
  }
}
