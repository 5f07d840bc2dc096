// Maranget, "Warnings for pattern matching" (JFP 2007), with lists of any length as in Rust's slices.
//
//   missing(rows)        value vectors that no row matches, as shapes; at most four
//   isUseful(row, rows)  whether a row matches something that the rows before it do not
//
// Both may take exponential time on made-up programs, so they work on a budget; past it, `isExhausted` is true and
// the answers mean nothing.

struct Usefulness {
  let space: Space
  /// Steps that are left.
  var budget = 400_000
  var isExhausted: Bool { budget <= 0 }

  static let maximalWitnesses = 4

  init(_ space: Space) { self.space = space }

  // MARK: Gaps

  mutating func missing(_ rows: [[Shape]], _ types: [TypeAt]) -> [[Shape]] {
    budget -= 1 + rows.count
    if isExhausted { return [] }
    guard let first = types.first else { return rows.isEmpty ? [[]] : [] }
    if rows.contains(where: Self.catchesAll) { return [] }
    let rest = Array(types.dropFirst())
    let rows = rows.flatMap(Self.spread)
    let lengths = Self.lengths(rows.compactMap(\.first))
    let used = Self.used(rows, lengths)
    let forms = space.forms(first, lengths: lengths)
    guard let forms, !used.isEmpty else {
      return missingByForm(rows, used, rest: rest)
    }
    var found: [[Shape]] = []
    var others: [[Shape]]?
    let named = Set(used)
    let byForm = Self.byForm(rows)
    for (form, parts) in forms where found.count < Self.maximalWitnesses {
      if named.contains(form) {
        let own = byForm?.rows[form] ?? byForm?.rest ?? rows
        let inner = missing(own.compactMap { Self.specialise($0, form, count: parts.count) }, parts + rest)
        found += inner.map { Self.rebuild(form, $0, count: parts.count) }
      } else {
        let tails = others ?? missing(rows.compactMap(Self.withoutFirst), rest)
        others = tails
        found += tails.map { [Self.whole(form, parts.count)] + $0 }
      }
    }
    return Array(found.prefix(Self.maximalWitnesses))
  }

  /// Types whose values cannot be listed: literals are tried one by one, everything else is "anything".
  private mutating func missingByForm(_ rows: [[Shape]], _ used: [Form], rest: [TypeAt]) -> [[Shape]] {
    let tails = missing(rows.compactMap(Self.withoutFirst), rest)
    var found = tails.map { [.anything] + $0 }
    for form in used where found.isEmpty {
      found += missing(rows.compactMap { Self.specialise($0, form, count: 0) }, rest).map {
        [.constructor(form, [])] + $0
      }
    }
    return Array(found.prefix(Self.maximalWitnesses))
  }

  // MARK: Redundancy

  mutating func isUseful(_ row: [Shape], after rows: [[Shape]], types: [TypeAt]) -> Bool {
    budget -= 1 + rows.count
    if isExhausted { return true }
    guard let first = types.first, let head = row.first else { return rows.isEmpty }
    if rows.contains(where: Self.catchesAll) { return false }
    let rest = Array(types.dropFirst())
    let rows = rows.flatMap(Self.spread)
    if case .either = head {
      for alternative in Self.spread(row) where isUseful(alternative, after: rows, types: types) { return true }
      return false
    }
    if case .constructor(let form, _) = head, let parts = space.parts(first, form),
      let inner = Self.specialise(row, form, count: parts.count)
    {
      return isUseful(
        inner, after: rows.compactMap { Self.specialise($0, form, count: parts.count) }, types: parts + rest)
    }
    let lengths = Self.lengths(rows.compactMap(\.first) + [head])
    let used = Self.used(rows + [row], lengths)
    if let forms = space.forms(first, lengths: lengths), !used.isEmpty {
      for (form, parts) in forms {
        guard let inner = Self.specialise(row, form, count: parts.count) else { continue }
        if isUseful(
          inner, after: rows.compactMap { Self.specialise($0, form, count: parts.count) }, types: parts + rest)
        {
          return true
        }
      }
      return false
    }
    if case .constructor(let form, let parts) = head, let inner = Self.specialise(row, form, count: parts.count) {
      return isUseful(inner, after: rows.compactMap { Self.specialise($0, form, count: parts.count) }, types: rest)
    }
    return isUseful(Array(row.dropFirst()), after: rows.compactMap(Self.withoutFirst), types: rest)
  }

  // MARK: Rows

  private static func catchesAll(_ row: [Shape]) -> Bool {
    row.allSatisfy { if case .anything = $0 { true } else { false } }
  }

  /// A row for each alternative of its first pattern.
  private static func spread(_ row: [Shape]) -> [[Shape]] {
    guard case .either(let list)? = row.first else { return [row] }
    return list.flatMap { spread([$0] + row.dropFirst()) }
  }

  /// The rows that match whatever the first value is.
  private static func withoutFirst(_ row: [Shape]) -> [Shape]? {
    switch row.first {
    case .anything: return Array(row.dropFirst())
    case .list(let prefix, let suffix?) where prefix.isEmpty && suffix.isEmpty: return Array(row.dropFirst())
    default: return nil
    }
  }

  /// What remains of a row for values of one form: the patterns of the parts, then the rest; nil if it never matches.
  private static func specialise(_ row: [Shape], _ form: Form, count: Int) -> [Shape]? {
    let rest = row.dropFirst()
    switch row.first {
    case .anything: return Array(repeating: .anything, count: count) + rest
    case .constructor(let own, let parts): return own == form ? parts + rest : nil
    case .list(let prefix, let suffix): return elements(prefix, suffix, form: form).map { $0 + rest }
    case .either, nil: return nil
    }
  }

  private static func elements(_ prefix: [Shape], _ suffix: [Shape]?, form: Form) -> [Shape]? {
    switch form {
    case .length(let count):
      guard let suffix else { return prefix.count == count ? prefix : nil }
      let between = count - prefix.count - suffix.count
      return between < 0 ? nil : prefix + Array(repeating: .anything, count: between) + suffix
    case .atLeast(let count, _):
      guard let suffix else { return nil }
      let between = count - prefix.count - suffix.count
      return between < 0 ? nil : prefix + Array(repeating: .anything, count: between) + suffix
    default: return nil
    }
  }

  /// From which length on lists need not be told apart, and how many elements the patterns count from the front.
  private static func lengths(_ heads: [Shape]) -> (count: Int, prefix: Int) {
    var fixed = 0
    var front = 0
    var back = 0
    for case .list(let prefix, let suffix) in heads {
      if let suffix {
        front = max(front, prefix.count)
        back = max(back, suffix.count)
      } else {
        fixed = max(fixed, prefix.count + 1)
      }
    }
    let count = max(fixed, front + back)
    return (count, count - back)
  }

  /// The forms that first patterns name, each once.
  private static func used(_ rows: [[Shape]], _ lengths: (count: Int, prefix: Int)) -> [Form] {
    var seen: Set<Form> = []
    var list: [Form] = []
    func add(_ form: Form) { if seen.insert(form).inserted { list.append(form) } }
    for row in rows {
      switch row.first {
      case .constructor(let form, _): add(form)
      case .list(let prefix, let suffix):
        let least = prefix.count + (suffix?.count ?? 0)
        if suffix == nil {
          add(.length(least))
        } else {
          for length in least..<max(least, lengths.count) { add(.length(length)) }
          add(.atLeast(lengths.count, prefix: lengths.prefix))
        }
      case .anything, .either, nil: break
      }
    }
    return list
  }

  /// The rows by the constructor of their first pattern, those that take any with each, in order; nil for lists, of which
  /// one pattern matches many lengths.
  private static func byForm(_ rows: [[Shape]]) -> (rows: [Form: [[Shape]]], rest: [[Shape]])? {
    var found: [Form: [[Shape]]] = [:]
    var rest: [[Shape]] = []
    var isMixed = false
    for row in rows {
      switch row.first {
      case .constructor(let form, _):
        if found[form] == nil { found[form] = rest }
        found[form]?.append(row)
        isMixed = true
      case .anything:
        rest.append(row)
        if isMixed { for form in found.keys { found[form]?.append(row) } }
      case .list, .either, nil: return nil
      }
    }
    return (found, rest)
  }

  // MARK: Witnesses

  private static func rebuild(_ form: Form, _ vector: [Shape], count: Int) -> [Shape] {
    [build(form, Array(vector.prefix(count)))] + vector.dropFirst(count)
  }

  private static func whole(_ form: Form, _ count: Int) -> Shape {
    build(form, Array(repeating: .anything, count: count))
  }

  private static func build(_ form: Form, _ parts: [Shape]) -> Shape {
    switch form {
    case .length: return .list(parts, suffix: nil)
    case .atLeast(_, let prefix): return .list(Array(parts.prefix(prefix)), suffix: Array(parts.dropFirst(prefix)))
    default: return .constructor(form, parts)
    }
  }
}
