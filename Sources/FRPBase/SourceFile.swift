// Source text and places in it. This file is the only one that turns offsets into lines and columns.

/// Names one file of a compilation; dense, in the order the files were read.
public struct FileID: Hashable, Sendable {
  /// Its place in `SourceMap.files`.
  public var raw: Int32
  /// The file at a place.
  public init(_ raw: Int) { self.raw = Int32(raw) }
}

/// A half-open range of UTF-8 offsets in one file.
public struct Span: Hashable, Sendable {
  /// The file.
  public var file: FileID
  /// Where it begins.
  public var start: Int32
  /// Behind its last byte.
  public var end: Int32

  /// The range from `start` up to `end`.
  public init(file: FileID, start: Int, end: Int) {
    self.file = file
    self.start = Int32(start)
    self.end = Int32(end)
  }

  /// A place for what has no source text, such as a built-in.
  public static let none = Span(file: FileID(-1), start: 0, end: 0)

  /// Whether it has no source text.
  public var isNone: Bool { file.raw < 0 }

  /// Whether another lies within it.
  public func contains(_ other: Span) -> Bool {
    file == other.file && start <= other.start && other.end <= end
  }

  /// The smallest span that covers both; the receiver where they lie in different files.
  public func union(_ other: Span) -> Span {
    if isNone { return other }
    if other.isNone || other.file != file { return self }
    return Span(
      file: file, start: Int(min(start, other.start)), end: Int(max(end, other.end)))
  }
}

/// A position for people: both count from 1, columns count Characters.
public struct LineColumn: Hashable, Sendable {
  /// From 1.
  public var line: Int
  /// From 1, in Characters.
  public var column: Int
  /// A position; both count from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// One file's text with its line table.
public struct SourceFile: Sendable {
  /// What messages call it.
  public let name: String
  /// The text, in UTF-8.
  public let bytes: [UInt8]
  /// The offset at which each line starts; never empty.
  public let lineStarts: [Int32]
  /// The same for editors, to which a carriage return alone ends a line, too; the same table where there is none.
  package let editorLineStarts: [Int32]
  /// In long lines, every so many bytes, where a Character begins; sorted. A machine-written line can be megabytes, with a
  /// mistake in every other word.
  private let characterMarks: [CharacterMark]
  /// Whether it says what the host adds, and is no part of the program's own text.
  public var isHost = false

  /// A file with the bytes of its text. Cost: linear.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var starts: [Int32] = [0]
    var returns: [Int32] = []
    // Spans have 32 bits; nothing beyond is ever read.
    for (offset, byte) in bytes.prefix(Int(Int32.max) - 1).enumerated() where byte == 0x0A || byte == 0x0D {
      if byte == 0x0A {
        starts.append(Int32(offset + 1))
      } else if offset + 1 == bytes.count || bytes[offset + 1] != 0x0A {
        returns.append(Int32(offset + 1))
      }
    }
    lineStarts = starts
    editorLineStarts = returns.isEmpty ? starts : (starts + returns).sorted()
    characterMarks = Self.characterMarks(bytes, starts)
  }

  /// A file with a text.
  public init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// The 0-based line that holds an offset. Cost: O(log lines).
  public func lineIndex(at offset: Int) -> Int { Self.lineIndex(at: offset, lineStarts) }

  /// The same for editors.
  package func editorLineIndex(at offset: Int) -> Int { Self.lineIndex(at: offset, editorLineStarts) }

  private static func lineIndex(at offset: Int, _ starts: [Int32]) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(starts[middle]) <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// The bytes of a 0-based line, without its line break.
  public func lineBytes(_ index: Int) -> ArraySlice<UInt8> {
    let start = Int(lineStarts[index])
    var end = index + 1 < lineStarts.count ? Int(lineStarts[index + 1]) - 1 : bytes.count
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return bytes[start..<end]
  }

  /// The same for editors.
  package func editorLineBytes(_ index: Int) -> ArraySlice<UInt8> {
    let start = Int(editorLineStarts[index])
    guard index + 1 < editorLineStarts.count else { return bytes[start...] }
    var end = Int(editorLineStarts[index + 1]) - 1
    if end > start, bytes[end] == 0x0A, bytes[end - 1] == 0x0D { end -= 1 }
    return bytes[start..<end]
  }

  /// Line and column of an offset, both from 1. Cost: O(log length of the file).
  public func position(at offset: Int) -> LineColumn {
    let clamped = min(max(offset, 0), bytes.count)
    let line = lineIndex(at: clamped)
    let mark = characterMark(before: clamped, line: line)
    let rest = String(decoding: bytes[Int(mark.offset)..<clamped], as: UTF8.self)
    return LineColumn(line: line + 1, column: Int(mark.column) + rest.count + 1)
  }

  /// A place in a 0-based line, at most `markDistance` bytes before an offset in it (but for Characters that are longer), where a
  /// Character begins. Cost: O(log length of the file).
  func characterStart(before offset: Int, line: Int) -> Int { Int(characterMark(before: offset, line: line).offset) }

  /// Where a Character begins, and how many of them stand before it in its line.
  private struct CharacterMark {
    var offset: Int32
    var column: Int32
  }

  private static let markDistance = 512

  private func characterMark(before offset: Int, line: Int) -> CharacterMark {
    let start = lineStarts[line]
    var low = 0
    var high = characterMarks.count
    while low < high {
      let middle = (low + high) / 2
      if Int(characterMarks[middle].offset) <= offset { low = middle + 1 } else { high = middle }
    }
    if low > 0, characterMarks[low - 1].offset > start { return characterMarks[low - 1] }
    return CharacterMark(offset: start, column: 0)
  }

  private static func characterMarks(_ bytes: [UInt8], _ starts: [Int32]) -> [CharacterMark] {
    var marks: [CharacterMark] = []
    for (line, start) in starts.enumerated() {
      let end = line + 1 < starts.count ? Int(starts[line + 1]) : min(bytes.count, Int(Int32.max) - 1)
      // Bytes that are no text are no Characters, either; the file is refused.
      guard end - Int(start) > 2 * markDistance, let text = String(validating: bytes[Int(start)..<end], as: UTF8.self)
      else {
        continue
      }
      var mark = CharacterMark(offset: start, column: 0)
      var last = Int(start)
      for character in text {
        if Int(mark.offset) - last >= markDistance {
          marks.append(mark)
          last = Int(mark.offset)
        }
        mark.offset += Int32(character.utf8.count)
        mark.column += 1
      }
    }
    return marks
  }

  /// The text of a range of this file.
  public func text(_ span: Span) -> String {
    let start = max(0, Int(span.start))
    let end = min(bytes.count, Int(span.end))
    return start < end ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
  }
}

/// All files of one compilation, by id.
public struct SourceMap: Sendable {
  /// In the order in which they were read; the main file is the first.
  public private(set) var files: [SourceFile] = []
  /// The files in the order of their reports, where that is not the order of reading: a mistake in an imported module is
  /// mostly the cause of what its users are told. Files that are not named come last.
  public var reportOrder: [FileID] = [] {
    didSet { ranks = Dictionary(reportOrder.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }) }
  }
  private var ranks: [FileID: Int] = [:]
  /// No files.
  public init() {}

  /// The length of all files.
  public var byteCount: Int { files.reduce(0) { $0 + $1.bytes.count } }

  /// Adds a file, and gives its id.
  public mutating func add(_ file: SourceFile) -> FileID {
    files.append(file)
    return FileID(files.count - 1)
  }

  /// The file of an id.
  public subscript(id: FileID) -> SourceFile { files[Int(id.raw)] }

  /// Where the reports of a file stand among those of all; what has no place comes last.
  public func rank(_ file: FileID) -> Int {
    file.raw < 0 ? Int.max : ranks[file] ?? reportOrder.count + Int(file.raw)
  }

  /// The text of a range; empty where there is none.
  public func text(_ span: Span) -> String { span.isNone ? "" : self[span.file].text(span) }
}
