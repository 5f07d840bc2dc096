// Routines of text formats: JSON and CSV of values, and numbers in given forms.

import FRPCore
import FRPGraph

extension RoutineTable {
  static let formats: [(Prim, Routine)] = [
    (.jsonEncode, jsonEncode), (.jsonDecode, jsonDecode), (.bodyValue, bodyValue), (.csvEncode, csvEncode),
    (.csvDecode, csvDecode),
    (.formatFixed, formatFixed), (.formatScientific, formatScientific), (.formatPercent, formatPercent),
    (.formatThousands, formatThousands), (.formatPadded, formatPadded), (.formatRadix, formatRadix),
    (.parseRadix, parseRadix),
  ]

  // MARK: JSON and CSV

  private static func jsonEncode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var out = StringBuilder()
    try m.library.codec.encodeJSON(a[0], a.call.a0, to: &out)
    try stepBytes(m, out.count)
    return try out.finish(m.heap)
  }

  private static func jsonDecode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    let value = try m.library.codec.decodeJSON(text, as: m.heap.shapes.fieldType(a.call.result, tag: 0, 0))
    return try decoded(m, value, result: a.call.result, problem: m.library.codec.problem?.text)
  }

  private static func bodyValue(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try stepBytes(m, m.heap.bytes(a[0]).count)
    let codec = m.library.codec
    let value = try codec.decodeBody(m.heap.bytes(a[0]), as: m.heap.shapes.fieldType(a.call.result, tag: 0, 0))
    let problem = codec.problem.map { "body" + $0.behindSubject }
    return try decoded(m, value, result: a.call.result, problem: problem)
  }

  /// `Ok` of a value, or `Err` of the codec's problem.
  static func decoded(_ m: Machine, _ value: Word?, result: TypeID, problem: String?) throws(Fault) -> Word {
    if let value { return try m.heap.construct(result, tag: 0, field: value) }
    let message = try m.heap.string(problem ?? "this text cannot be read")
    let error = try m.heap.construct(m.heap.shapes.fieldType(result, tag: 1, 0), field: message)
    return try m.heap.construct(result, tag: 1, field: error)
  }

  private static func csvEncode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let codec = m.library.codec
    let row = m.heap.element(a.call.a0)
    var out = StringBuilder()
    codec.appendCSVHeader(row, to: &out)
    for word in ListView(a[0]) {
      try m.step()
      try codec.encodeCSV(word, row, to: &out)
      if out.count > m.heap.textLimit { throw Fault.memory }
    }
    try stepBytes(m, out.count)
    return try out.finish(m.heap)
  }

  private static func csvDecode(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let codec = m.library.codec
    let text = m.heap.bytes(a[0])
    try stepBytes(m, text.count)
    let list = m.heap.shapes.fieldType(a.call.result, tag: 0, 0)
    var result = try builder(m, list)
    var reader = CSVReader(as: m.heap.element(list), codec)
    var breaks = CSVBreaks()
    var rest = text
    while let length = breaks.recordLength(rest) {
      let record = Bytes(rebasing: rest[..<length])
      rest = Bytes(rebasing: rest[length...])
      try m.step()
      switch try codec.decodeCSV(record, &reader) {
      case .header, .blank: break
      case .value(let word): try result.append(word)
      case .problem: return try decoded(m, nil, result: a.call.result, problem: codec.problem?.text)
      }
    }
    return try decoded(m, try result.finish(), result: a.call.result, problem: nil)
  }

  // MARK: Numbers

  private static func digits(_ m: Machine, _ word: Word) throws(Fault) -> Int {
    let digits = word.int
    if digits < 0 || digits > 1000 { throw Fault(.message, "the number of digits must be 0 to 1000, not \(digits)") }
    try m.step(digits / 8 + 8)
    return digits
  }

  private static func formatFixed(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var number = DecimalDigits(a[0].float)
    number.round(to: try digits(m, a[1]))
    var out = StringBuilder()
    number.write(to: &out)
    return try out.finish(m.heap)
  }

  private static func formatPercent(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    var number = DecimalDigits(a[0].float)
    number.shift(2)
    number.round(to: try digits(m, a[1]))
    var out = StringBuilder()
    number.write(to: &out)
    out.append(byte: 0x25)
    return try out.finish(m.heap)
  }

  private static func formatScientific(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let wanted = try digits(m, a[1])
    var number = DecimalDigits(a[0].float)
    var exponent = number.magnitude ?? 0
    number.round(to: wanted - exponent)
    // 9.99 may have become 10.0.
    if let rounded = number.magnitude, rounded > exponent {
      exponent = rounded
      number.round(to: wanted - exponent)
    }
    number.shift(-exponent)
    number.round(to: wanted)
    var out = StringBuilder()
    number.write(to: &out)
    out.append(byte: 0x65)
    out.append(int: exponent)
    return try out.finish(m.heap)
  }

  private static func formatThousands(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let digits = Array(String(a[0].int.magnitude).utf8)
    var out = StringBuilder()
    if a[0].int < 0 { out.append(byte: 0x2D) }
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { out.append(m.heap.bytes(a[1])) }
      out.append(byte: digit)
    }
    return try out.finish(m.heap)
  }

  private static func formatPadded(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let wanted = try digits(m, a[1])
    let text = String(a[0].int.magnitude)
    var out = StringBuilder()
    if a[0].int < 0 { out.append(byte: 0x2D) }
    for _ in 0..<max(0, wanted - text.utf8.count) { out.append(byte: 0x30) }
    out.append(text)
    return try out.finish(m.heap)
  }

  private static func base(_ word: Word) throws(Fault) -> Int {
    let base = word.int
    if base < 2 || base > 36 { throw Fault(.message, "a base must be 2 to 36, not \(base)") }
    return base
  }

  private static func formatRadix(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    try m.heap.string(String(a[0].int, radix: try base(a[1])))
  }

  private static func parseRadix(_ m: Machine, _ a: Arguments) throws(Fault) -> Word {
    let base = try base(a[1])
    try stepBytes(m, m.heap.byteCount(a[0]))
    guard let value = Int(m.heap.swiftString(a[0]), radix: base) else { return .none }
    return try m.heap.some(Word(int: value), a.call.result)
  }
}
