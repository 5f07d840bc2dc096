// Forms that the plain programs leave out: patterns of every kind, functions as values, local functions, operators and
// fields as functions, functions that take functions, records and tuples of behaviors and events, memory in branches,
// keys of other types. Programs with them have seeds of their own, so that the plain ones stay what they are.

extension Generator {
  /// Functions for any types, which wide programs call.
  static let prelude = [
    "twice(f, x) = f(f(x))",
    "choose(c, a, b) = if c then a else b",
    "swap(p) = match p { (a, b) => (b, a) }",
    "plus(a, b) = a + b",
    "compose(f, g) = x => g(f(x))",
    "upTo(n) = if n <= 0 then [] else [n, ...upTo(n - 1)]",
    "held(e, x0) = e |> hold(x0)",
    "counted(e, b) = e |> fold((0, b), ((n, _), x) => (n + 1, x)) |> Tuple.first",
  ]

  private mutating func fresh(_ letters: String...) -> [String] {
    depth += 1
    return letters.map { "\($0)\(depth)w" }
  }

  // MARK: Data

  mutating func wideData(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term? {
    switch random.below(4) {
    case 0: return matched(type, names, reads)
    case 1: return higherOrder(type, names, reads)
    case 2: return local(type, names, reads)
    default: return special(type, names, reads)
    }
  }

  private mutating func matched(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term {
    let all = fresh("a", "b")
    let (a, b) = (all[0], all[1])
    let plain = names.pointwise
    func with(_ name: String, _ sort: DataSort) -> Names { plain.adding(name, .data(sort)) }
    switch random.below(6) {
    case 0:
      let both = with(a, .int).adding(b, .data(.list(.int)))
      return Term(
        .data(type), "(match ", data(.list(.int), names, reads), " { [] => ", data(type, plain, reads), "; [\(a)] => ",
        data(type, with(a, .int), reads), "; [\(a), ...\(b)] => ", data(type, both, reads), " })")
    case 1:
      return Term(
        .data(type), "(match ", data(.record, names, reads), " { {a: 0, b: \(b)} => ",
        data(type, with(b, .string), reads), "; {a: _, b: \"a\"} => ", data(type, plain, reads),
        "; {a: \(a), b: _} => ",
        data(type, with(a, .int), reads), " })")
    case 2:
      return Term(
        .data(type), "(match ", data(.string, names, reads), " { \"a\" | \"b\" => ", data(type, plain, reads),
        "; \"\" => ", data(type, plain, reads), "; \(a) => ", data(type, with(a, .string), reads), " })")
    case 3:
      let pair = DataSort.option(.pair(.int, .bool))
      return Term(
        .data(type), "(match ", data(pair, names, reads), " { Some((_, true)) as \(a) => ",
        data(type, with(a, pair), reads), "; Some((1 | 2, _)) | None => ", data(type, plain, reads),
        "; Some((\(b), _)) => ", data(type, with(b, .int), reads), " })")
    case 4:
      return Term(
        .data(type), "(match ", data(.result(.int, .string), names, reads), " { Ok(\(a)) if \(a) > 1 => ",
        data(type, with(a, .int), reads), "; Ok(_) => ", data(type, plain, reads), "; Err(\(b)) => ",
        data(type, with(b, .string), reads), " })")
    default:
      return Term(
        .data(type), "(match (", data(.bool, names, reads), ", ", data(.shape, names, reads),
        ") { (true, Num(\(a))) => ",
        data(type, with(a, .int), reads), "; (false, Both(x: \(b), flag: _)) => ", data(type, with(b, .int), reads),
        "; _ => ", data(type, plain, reads), " })")
    }
  }

  /// `(name => …)`.
  private mutating func lambda(_ name: String, _ from: DataSort, _ to: DataSort, _ names: Names, _ reads: Reads) -> Term
  {
    Term(.fixed, "(\(name) => ", data(to, names.adding(name, .data(from)).pointwise, reads), ")")
  }

  private mutating func higherOrder(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term {
    let all = fresh("f", "z", "r")
    let (f, z, r) = (all[0], all[1], all[2])
    switch random.below(7) {
    case 0: return Term(.data(type), "twice(", lambda(z, type, type, names, reads), ", ", data(type, names, reads), ")")
    case 1:
      return Term(
        .data(type), "choose(", data(.bool, names, reads), ", ", data(type, names, reads), ", ",
        data(type, names, reads), ")")
    case 2:
      return Term(
        .data(type), "(match List.head([", lambda(z, .int, type, names, reads), ", ",
        lambda(z, .int, type, names, reads), "]) { Some(\(f)) => \(f)(", data(.int, names.pointwise, reads),
        "); None => ", data(type, names.pointwise, reads), " })")
    case 3:
      return Term(
        .data(type), "{ \(r) = {f: ", lambda(z, .int, type, names, reads), ", n: ", data(.int, names.pointwise, reads),
        "}; (\(r).f)(\(r).n) }")
    case 4: return Term(.data(type), "(", data(.int, names, reads), " |> ", lambda(z, .int, type, names, reads), ")")
    case 5:
      return Term(
        .data(type), "compose(", lambda(z, .int, .int, names, reads), ", ", lambda(r, .int, type, names, reads), ")(",
        data(.int, names, reads), ")")
    default:
      return Term(
        .data(type), "(if ", data(.bool, names, reads), " then ", lambda(z, .int, type, names, reads), " else ",
        lambda(r, .int, type, names, reads), ")(", data(.int, names, reads), ")")
    }
  }

  private mutating func local(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term {
    let all = fresh("g", "z", "u")
    let (g, z, u) = (all[0], all[1], all[2])
    switch random.below(3) {
    case 0:
      return Term(
        .data(type), "{ \(g)(\(z): Int) = ", data(type, names.adding(z, .data(.int)).pointwise, reads), "; \(g)(",
        data(.int, names.pointwise, reads), ") }")
    case 1:
      let inner = names.adding(z, .data(.int)).adding(u, .data(.bool)).pointwise
      return Term(
        .data(type), "{ (\(z), \(u)) = ", data(.pair(.int, .bool), names.pointwise, reads), "; ",
        data(type, inner, reads), " }")
    default:
      // A local function that calls itself, and ends.
      return Term(
        .data(type),
        "{ \(g)(\(z): Int, \(u): \(type.name)): \(type.name) = if \(z) <= 0 then \(u) else \(g)(\(z) - 1, ",
        data(type, names.adding(z, .data(.int)).adding(u, .data(type)).pointwise, reads), "); \(g)(2, ",
        data(type, names.pointwise, reads), ") }")
    }
  }

  private mutating func special(_ type: DataSort, _ names: Names, _ reads: Reads) -> Term? {
    switch type {
    case .int:
      switch random.below(4) {
      case 0: return Term(.data(.int), "List.fold(", data(.list(.int), names, reads), ", 0, (+))")
      case 1:
        return Term(
          .data(.int), "sum(List.map([", data(.record, names, reads), ", ", data(.record, names, reads), "], .a))")
      case 2: return Term(.data(.int), "plus(", data(.int, names, reads), ", ", data(.int, names, reads), ")")
      default: return Term(.data(.int), "({n: ", data(.record, names, reads), "}).n.a")
      }
    case .float: return Term(.data(.float), "plus(", data(.float, names, reads), ", ", data(.float, names, reads), ")")
    case .string:
      return Term(
        .data(.string), "\"{", data(.int, names, reads), "}, {\"<{", data(.string, names, reads), "}>\" ++ \"!\"}\"")
    case .pair(let a, let b): return Term(.data(type), "swap(", data(.pair(b, a), names, reads), ")")
    case .list(.int) where random.oneIn(2): return Term(.data(type), "upTo(", data(.int, names, reads), " % 4)")
    case .list(let a):
      return Term(.data(type), "[", data(a, names, reads), ", ...", data(type, names, reads), "]")
    case .record:
      return Term(
        .data(.record), "({...{n: ", data(.record, names, reads), ", k: 1}, n.b: ", data(.string, names, reads), "}).n")
    default: return nil
    }
  }

  // MARK: Events and behaviors

  mutating func wideEvent(_ type: DataSort, _ names: Names) -> Term {
    let all = fresh("r", "x", "z", "f")
    let (r, x, z, f) = (all[0], all[1], all[2], all[3])
    let other = random.pick(pool)
    switch random.below(5) {
    case 0:
      return Term(
        .event(type), "{ \(r) = {b: ", behavior(type, names), ", e: ", event(type, names),
        "}; merge(changes(\(r).b), \(r).e) }")
    case 1:
      return Term(
        .event(type), "{ (\(r), \(x)) = (", behavior(type, names), ", ", event(other, names),
        "); sample(\(r), \(x)) }")
    case 2:
      // The function that occurs sees what was there when it was made.
      let inner = names.adding(x, .data(other))
      return Term(
        .event(type), "(", event(other, names), " |> map(\(x) => ", lambda(z, .int, type, inner, .all),
        ") |> map(\(f) => \(f)(", data(.int, names.pointwise, .all), ")))")
    case 3: return Term(.event(type), "changes(held(", event(type, names), ", \(literal(type))))")
    default:
      return Term(
        .event(type), "(", event(other, names), " |> map(\(x) => [",
        data(type, names.adding(x, .data(other)).pointwise, .all),
        ", ", data(type, names.adding(x, .data(other)).pointwise, .all), "]) |> spill)")
    }
  }

  mutating func wideBehavior(_ type: DataSort, _ names: Names) -> Term {
    let all = fresh("r", "x", "z", "f")
    let (r, x, z, f) = (all[0], all[1], all[2], all[3])
    let other = random.pick(pool)
    switch random.below(6) {
    case 0:
      let inner = names.adding(x, .data(other))
      return Term(
        .behavior(type), "(", event(other, names), " |> map(\(x) => ", lambda(z, .int, type, inner, .all),
        ") |> hold(\(z) => \(literal(type))) |> (\(f) => \(f)(", data(.int, names.pointwise, .earlier), ")))")
    case 1:
      return Term(
        .behavior(type), "{ \(r) = {b: ", behavior(type, names), ", e: ", event(other, names),
        "}; if \(r).e |> count |> isEven then \(r).b else ",
        behavior(type, names), " }")
    case 2: return Term(.behavior(type), "held(", event(type, names), ", \(literal(type)))")
    case 3:
      return Term(
        .behavior(type), "(if ", behavior(.bool, names), " then ", behavior(type, names), " else ",
        behavior(type, names), ")")
    case 4:
      return Term(
        .behavior(type), "(match ", behavior(.option(.int), names), " { Some(_) => ", behavior(type, names),
        "; None => ", behavior(type, names), " })")
    default:
      if type == .int {
        return Term(.behavior(.int), "counted(", event(other, names), ", \(literal(other)))")
      }
      return Term(
        .behavior(type), "(match [", behavior(type, names), "] { [\(x), ..._] => \(x); [] => \(literal(type)) })")
    }
  }

  /// Scopes with keys that are no Ints.
  mutating func wideScopes(_ type: DataSort, _ names: Names) -> Term? {
    guard case .list(let a) = type else { return nil }
    let all = fresh("x", "k", "es", "p")
    let (x, k, es, p) = (all[0], all[1], all[2], all[3])
    let other = random.pick(pool)
    if random.oneIn(2) {
      return Term(
        .behavior(type), "each(List.indexed(", data(.list(other), names, .earlier), "), \(p) => Tuple.first(\(p)), ",
        scope([(x, .behavior(.pair(.int, other)))], names) { $0.behavior(a, $1) }, ")")
    }
    let key = data(.int, names.adding(x, .data(other)).pointwise, .all)
    return Term(
      .behavior(type), "Map.values(", event(other, names), " |> groupBy(\(x) => \"k{", key, " % 3}\", ",
      scope([(k, .data(.string)), (es, .event(other))], names) { $0.behavior(a, $1) }, "))")
  }

  // MARK: Tasks

  mutating func wideTask(_ names: Names) -> Term {
    let inner = { (generator: inout Generator) in generator.data(.int, names, .all) }
    let wait = { (generator: inout Generator) in Term(.fixed, generator.random.pick(Self.durations)) }
    switch random.below(4) {
    case 0:
      return Term(
        .fixed, "(Task.all([Task.after(", wait(&self), ", ", inner(&self), ") |> timeout(", wait(&self),
        "), Task.race([Task.fail(\"a\"), Task.after(", wait(&self), ", ", inner(&self),
        ")]) |> retry(1)]) |> Task.map(sum))")
    case 1:
      return Term(
        .fixed, "(Task.race([Task.all([Task.after(", wait(&self), ", 1), Task.after(", wait(&self),
        ", 2)]) |> Task.map(sum), Task.after(", wait(&self), ", ", inner(&self), ")]) |> timeout(", wait(&self), "))")
    case 2:
      return Term(
        .fixed, "(List.fold([", wait(&self), ", ", wait(&self),
        "], Task.succeed(", inner(&self), "), (t, d) => t |> Task.andThen(n => Task.after(d, n + 1))))")
    default:
      return Term(
        .fixed, "(Task.after(", wait(&self), ", ", inner(&self), ") |> timeout(", wait(&self),
        ") |> retryWith(n => if n > 2 then None else Some(", wait(&self), ")) |> Task.recover(e => Task.after(",
        wait(&self), ", String.size(e.message))))")
    }
  }
}
