// `n // 2`, which divides elsewhere and is n and a comment here. Words are never doubted: only a number by itself, or, where no
// blanks stand beside the slashes, a name that the program has. Rows that are numbered, as in a table, are not.

import FRPBase
import FRPSyntax

/// Warnings for comments that were hardly meant as such.
func commentDoubts(_ tree: Tree, _ sources: SourceMap) -> [Diagnostic] {
  guard let module = tree.modules.first else { return [] }
  let source = sources[module.file]
  var numbers: [Int: Int] = [:]
  for comment in module.comments where !comment.ownsLine {
    numbers[source.lineIndex(at: Int(comment.span.start))] = number(comment.text.dropFirst(2))
  }
  return module.comments.compactMap { comment in
    guard !comment.ownsLine, comment.text.utf8.count <= 40 else { return nil }
    let (start, line) = (Int(comment.span.start), source.lineIndex(at: Int(comment.span.start)))
    let operand = operand(source.bytes, before: start)
    // What begins with a capital is a type or a variant.
    let isValue = operand.first.map { !$0.isUppercase } ?? false
    guard isValue, !isInTable(source.bytes, after: Int(comment.span.end)) else { return nil }
    let right = comment.text.dropFirst(2)
    let isGlued = isWord(source.bytes[start - 1]) && right.first != " "
    if let number = numbers[line] {
      // Nobody divides by 1, and lines may be counted.
      if number < 2 || numbers[line - 1] == number - 1 || numbers[line + 1] == number + 1 { return nil }
    } else if !isGlued || !tree.binds(String(right)) {
      return nil
    }
    let divisor = right.filter { $0 != " " }
    return Diagnostic(
      .doubtfulComment, "`//` begins a comment, and divides nothing", at: comment.span, label: "this is not read",
      helps: [
        Help("to divide Ints", code: "div(\(operand), \(divisor))"),
        Help("for a comment, in words", code: "// of \(divisor)"),
      ])
  }
}

/// What a number or a name before a place is; nothing where something else stands there.
private func operand(_ bytes: [UInt8], before place: Int) -> String {
  var end = place
  while end > 0, bytes[end - 1] == 0x20 { end -= 1 }
  var start = end
  while start > 0, isWord(bytes[start - 1]) { start -= 1 }
  if start == end { return end > 0 && bytes[end - 1] == 0x29 ? Help.blank : "" }
  return String(decoding: bytes[start..<end], as: UTF8.self)
}

private func isWord(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2E: true
  default: false
  }
}

/// ` 2`
private func number(_ text: Substring) -> Int? {
  let digits = text.drop { $0 == " " }
  return digits.utf8.count < 16 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
}

/// Whether what follows goes on with a list, a record or arguments.
private func isInTable(_ bytes: [UInt8], after place: Int) -> Bool {
  let next = bytes[place...].first { ![0x20, 9, 10, 13].contains($0) }
  return next.map { [0x2C, 0x5D, 0x7D, 0x29].contains($0) } ?? false
}

extension Tree {
  /// Whether something has that name.
  fileprivate func binds(_ name: String) -> Bool {
    guard name.utf8.allSatisfy(isWord) else { return false }
    return patterns.contains { if case .name(name) = $0 { true } else { false } }
      || items.contains { item in
        if case .input(let input, _, _, _) = item { input.text == name } else { false }
      }
  }
}
