// Random events and behaviors: every operator of section 6 of the language, in scopes within scopes.

extension Generator {
  static let durations = ["0ms", "100ms", "200ms", "250ms", "300ms", "500ms", "1s"]

  private mutating func duration() -> Term { Term(.fixed, random.pick(Self.durations)) }
  private mutating func positive() -> Term { Term(.fixed, random.pick(Array(Self.durations.dropFirst()))) }
  private mutating func anyType() -> DataSort { random.pick(pool) }

  private func named(_ wanted: Sort, _ names: Names) -> [String] {
    names.bindings.filter { $0.sort == wanted && !$0.isLater }.map(\.name)
  }

  /// A plain thing: a literal, or a scope's parameter in some expression.
  private mutating func plain(_ type: DataSort, _ names: Names) -> Term {
    if random.oneIn(2) || candidates(type, names, .none).isEmpty { return Term(.data(type), literal(type)) }
    fuel = min(fuel, 3)
    return data(type, names.pointwise, .none)
  }

  /// A function of occurrences: `x => …`.
  private mutating func function(_ parameter: DataSort, _ result: DataSort, _ names: Names) -> Term {
    depth += 1
    defer { depth -= 1 }
    let name = "x\(depth)"
    return Term(.fixed, "\(name) => ", data(result, names.adding(name, .data(parameter)).pointwise, .all))
  }

  private mutating func step(_ state: DataSort, _ item: DataSort, _ names: Names) -> Term {
    depth += 1
    defer { depth -= 1 }
    let (s, a) = ("s\(depth)", "a\(depth)")
    return Term(
      .fixed, "(\(s), \(a)) => ",
      data(state, names.adding(s, .data(state)).adding(a, .data(item)).pointwise, .all))
  }

  /// A scope's function: what it makes may remember; its parameter is plain.
  mutating func scope(
    _ parameters: [(String, Sort)], _ names: Names, _ body: (inout Generator, Names) -> Term
  ) -> Term {
    var term = scopeFunction(parameters, names, body)
    term.opensScope = true
    return term
  }

  private mutating func scopeFunction(
    _ parameters: [(String, Sort)], _ names: Names, _ body: (inout Generator, Names) -> Term
  ) -> Term {
    var inner = names
    inner.scopeDepth += 1
    for (name, sort) in parameters {
      inner = inner.adding(name, sort, isPlain: true)
    }
    let list = parameters.map(\.0).joined(separator: ", ")
    let head = parameters.count == 1 ? "\(list) => " : "(\(list)) => "
    if random.oneIn(3), fuel > 4 {
      depth += 1
      let local = "w\(depth)"
      let type = anyType()
      let bound = behavior(type, inner)
      let annotation = type.isOpen ? ": Behavior<\(type.name)>" : ""
      return Term(
        .fixed, head, "{ \(local)\(annotation) = ", bound, "; ", body(&self, inner.adding(local, .behavior(type))), " }"
      )
    }
    return Term(.fixed, head, body(&self, inner))
  }

  // MARK: Events

  mutating func event(_ type: DataSort, _ names: Names) -> Term {
    fuel -= 1
    let known = named(.event(type), names)
    if fuel <= 0 || random.oneIn(3) {
      if !known.isEmpty { return Term(.event(type), random.pick(known)) }
      if fuel <= 0 { return converted(type, names) }
    }
    if isWide, random.oneIn(4) { return wideEvent(type, names) }
    if random.oneIn(60) { return never(type) }
    if type == .unit, random.oneIn(3) { return moment(names) }
    if names.scopeDepth < deepest, fuel > 3, random.oneIn(5) { return made(type, names) }
    if random.oneIn(5) { return timed(type, names) }
    if random.oneIn(4), let shaped = shaped(type, names) { return shaped }
    return plainOperator(type, names)
  }

  /// `never` alone says nothing of its type, which overloaded names must know of what they are given.
  private func never(_ type: DataSort) -> Term { Term(.event(type), "(never |> map(_ => \(type.simplest)))") }

  /// An event of a type that no known event has, from one that is known.
  private mutating func converted(_ type: DataSort, _ names: Names) -> Term {
    let events = names.bindings.filter { binding in
      if case .event = binding.sort { return !binding.isLater }
      return false
    }
    let source = random.pick(events)
    guard case .event(let other) = source.sort else { return Term(.event(type), "never") }
    return Term(.event(type), "(", Term(source.sort, source.name), " |> map(", function(other, type, names), "))")
  }

  private mutating func moment(_ names: Names) -> Term {
    switch random.below(6) {
    case 5: return Term(.event(.unit), names.scopeDepth == 0 ? "end" : "after(300ms)")
    case 0: return Term(.event(.unit), random.oneIn(4) ? "Date.every(" : "every(", positive(), ")")
    case 1: return Term(.event(.unit), "after(", duration(), ")")
    case 2: return Term(.event(.unit), names.scopeDepth == 0 ? "start" : "after(100ms)")
    default: return Term(.event(.unit), "when(", behavior(.bool, names), ")")
    }
  }

  private mutating func timed(_ type: DataSort, _ names: Names) -> Term {
    let operation = random.pick(["delay", "debounce", "throttle", "audit"])
    if operation != "delay", names.scopeDepth < deepest, random.oneIn(3) {
      depth += 1
      defer { depth -= 1 }
      return Term(
        .event(type), "(", event(type, names), " |> \(operation)(",
        scope([("x\(depth)", .data(type))], names) { generator, inner in
          generator.random.oneIn(2)
            ? Term(.event(.unit), "after(", generator.duration(), ")") : generator.event(generator.anyType(), inner)
        }, "))")
    }
    return Term(.event(type), "(", event(type, names), " |> \(operation)(", duration(), "))")
  }

  private mutating func shaped(_ type: DataSort, _ names: Names) -> Term? {
    switch type {
    case .pair(let a, let b):
      if a == b, random.oneIn(2) { return Term(.event(type), "(", event(a, names), " |> pairwise)") }
      if a == .int, random.oneIn(3) { return Term(.event(type), "(", event(b, names), " |> indexed)") }
      return Term(.event(type), random.pick(["zip", "both"]), "(", event(a, names), ", ", event(b, names), ")")
    case .list(let a):
      if random.oneIn(2) {
        let step = random.oneIn(2) ? ", \(random.within(1...3))" : ""
        return Term(.event(type), "(", event(a, names), " |> buffer(\(random.within(1...3))\(step)))")
      }
      let operation = random.pick(["batch", "bufferUntil"])
      return Term(.event(type), "(", event(a, names), " |> \(operation)(", event(anyType(), names), "))")
    default: return nil
    }
  }

  private mutating func plainOperator(_ type: DataSort, _ names: Names) -> Term {
    let other = anyType()
    switch random.below(26) {
    case 25:
      let all = [other, type, .int, .bool].prefix(random.within(3...4))
      let names3 = ["p", "q", "r", "s"].prefix(all.count).joined(separator: ", ")
      var term = Term(.fixed, "(zip(")
      for (index, sort) in all.enumerated() {
        term.parts.append(.text(index == 0 ? "" : ", "))
        term.parts.append(.term(event(sort, names)))
      }
      term.parts.append(.text(") |> map((\(names3)) => q))"))
      return Term(.event(type), term)
    case 22:
      return Term(
        .event(type), "(", event(other, names), " |> mapAccum(", plain(other, names), ", (s, a) => (",
        data(other, names.adding("s", .data(other)).adding("a", .data(other)).pointwise, .all), ", ",
        data(type, names.adding("s", .data(other)).adding("a", .data(other)).pointwise, .all), ")))")
    case 23: return Term(.event(type), "(", event(type, names), " |> unique(", function(type, .int, names), "))")
    case 24: return Term(.event(type), "except(", event(type, names), ", ", event(other, names), ")")
    case 0, 1, 2: return Term(.event(type), "(", event(other, names), " |> map(", function(other, type, names), "))")
    case 3: return Term(.event(type), "(", event(type, names), " |> filter(", function(type, .bool, names), "))")
    case 4:
      return Term(.event(type), "(", event(other, names), " |> filterMap(", function(other, .option(type), names), "))")
    case 5:
      return Term(
        .event(type), "(", event(other, names), " |> scan(", plain(type, names), ", ", step(type, other, names), "))")
    case 6, 7: return Term(.event(type), "merge(", event(type, names), ", ", event(type, names), ")")
    case 8:
      return Term(
        .event(type), "(", event(type, names), " |> \(random.pick(["take", "drop"]))(\(random.within(0...3))))")
    case 9:
      let operation = random.pick(["takeWhile", "takeThrough", "dropWhile"])
      return Term(.event(type), "(", event(type, names), " |> \(operation)(", function(type, .bool, names), "))")
    case 10, 11:
      let operation = random.pick(["takeUntil", "dropUntil"])
      return Term(.event(type), "(", event(type, names), " |> \(operation)(", event(other, names), "))")
    case 12: return Term(.event(type), "(", event(type, names), " |> \(random.pick(["once", "distinct"])))")
    case 13: return Term(.event(type), "(", event(.list(type), names), " |> spill)")
    case 14: return Term(.event(type), "(", event(type, names), " |> coalesce(", step(type, type, names), "))")
    case 15: return Term(.event(type), "(", event(type, names), " |> gate(", behavior(.bool, names), "))")
    case 16, 17: return Term(.event(type), random.pick(["changes", "updates"]), "(", behavior(type, names), ")")
    case 18: return Term(.event(type), "sample(", behavior(type, names), ", ", event(other, names), ")")
    case 19: return random.oneIn(2) ? listened(type, names) : performed(type, names)
    case 20:
      let fitting = functions.filter { $0.result == .event(type) }
      return fitting.isEmpty
        ? Term(.event(type), "changes(", behavior(type, names), ")") : call(random.pick(fitting), names)
    default:
      return Term(.event(type), "merge(", event(type, names), ", ", event(type, names), ", ", event(type, names), ")")
    }
  }

  private mutating func made(_ type: DataSort, _ names: Names) -> Term {
    let other = anyType()
    depth += 1
    defer { depth -= 1 }
    let (x, k, es) = ("x\(depth)", "k\(depth)", "es\(depth)")
    switch random.below(4) {
    case 3: return openSwitch(type, other, names)
    case 0, 1:
      let operation = random.pick(["flatMap", "flatMapLatest"])
      return Term(
        .event(type), "(", event(other, names), " |> \(operation)(",
        scope([(x, .data(other))], names) { $0.event(type, $1) }, "))")
    default:
      if random.oneIn(2) {
        return Term(
          .event(type), "(", event(other, names), " |> keyedUntil(", function(other, .int, names), ", ",
          scope([(k, .data(.int)), (es, .event(other))], names) {
            Term(.fixed, "(", $0.event(type, $1), ", ", $0.event($0.anyType(), $1), ")")
          }, "))")
      }
      return Term(
        .event(type), "(", event(other, names), " |> keyed(", function(other, .int, names), ", ",
        scope([(k, .data(.int)), (es, .event(other))], names) { $0.event(type, $1) }, "))")
    }
  }

  /// A `switch` between records of a behavior and an event, both looked at.
  private mutating func openSwitch(_ type: DataSort, _ other: DataSort, _ names: Names) -> Term {
    let (s, x) = ("s\(depth)", "x\(depth)")
    return Term(
      .event(type), "{ \(s) = ", event(other, names), " |> switch({b: ", behavior(type, names), ", e: ",
      event(type, names), "}, ",
      scope([(x, .data(other))], names) {
        Term(.fixed, "{b: ", $0.behavior(type, $1), ", e: ", $0.event(type, $1), "}")
      }, "); merge(changes(\(s).b), \(s).e) }")
  }

  private mutating func task(_ names: Names) -> Term {
    if isWide, random.oneIn(3) { return wideTask(names) }
    let inner = { (generator: inout Generator) in generator.data(.int, names, .all) }
    switch random.below(11) {
    case 8:
      return Term(
        .fixed, "(Task.all([Task.after(", duration(), ", ", inner(&self), "), Task.succeed(2)]) |> Task.map(sum))")
    case 9:
      return Term(
        .fixed, "(Task.after(", duration(),
        ", 1) |> andThen(_ => Task.fail(\"bad\")) |> retryWith(n => if n < 3 then Some(",
        duration(), ") else None) |> Task.recover(_ => Task.succeed(", inner(&self), ")))")
    case 10:
      return Term(
        .fixed, "Task.fromResult(Result.mapError(", data(.result(.int, .string), names, .all), ", m => {message: m}))")
    case 0: return Term(.fixed, "Task.succeed(", inner(&self), ")")
    case 1:
      return Term(
        .fixed, "(if ", data(.bool, names, .all), " then Task.succeed(", inner(&self), ") else Task.fail(\"no\"))")
    case 2: return Term(.fixed, "(Task.after(", duration(), ", ", inner(&self), ") |> timeout(", duration(), "))")
    case 3: return Term(.fixed, "(Task.after(", duration(), ", ", inner(&self), ") |> Task.map(n => n + 1))")
    case 4:
      return Term(
        .fixed, "(Task.after(", duration(), ", ", inner(&self), ") |> Task.andThen(n => Task.after(", duration(),
        ", n)))")
    case 5:
      return Term(
        .fixed, "Task.race([Task.after(", duration(), ", ", inner(&self), "), Task.after(", duration(), ", 9)])")
    case 6:
      return Term(
        .fixed, "(Task.after(", duration(),
        ", 1) |> Task.andThen(_ => Task.fail(\"bad\")) |> retry(1) |> recover(_ => Task.after(",
        duration(), ", ", inner(&self), ")))")
    default: return Term(.fixed, "Task.after(", duration(), ", ", inner(&self), ")")
    }
  }

  /// A task that awaits an event of the scope around it.
  private mutating func awaiting(_ names: Names, _ inner: Names) -> Term {
    let source = event(.int, names)
    let wait = random.pick(Self.durations)
    switch random.below(7) {
    case 6: return Term(.fixed, "Task.race([Task.await(", event(.int, names), "), Task.await(", source, ")])")
    case 0: return Term(.fixed, "Task.await(", source, ")")
    case 1: return Term(.fixed, "Task.await(", source, ", n => n > ", data(.int, inner, .all), ")")
    case 2: return Term(.fixed, "(Task.await(", source, ") |> timeout(\(wait)))")
    case 3: return Term(.fixed, "Task.race([Task.await(", source, "), ", task(inner), "])")
    case 4:
      return Term(
        .fixed, "Task.map(Task.all([", task(inner), ", Task.await(", source, ") |> Task.recover(_ => ", task(inner),
        ")]), sum)")
    default:
      return Term(
        .fixed, "(", task(inner), " |> Task.andThen(x => Task.await(", source, ", n => n > x)) |> Task.andThen(x => ",
        "Task.after(\(wait), x)))")
    }
  }

  private mutating func performer(_ names: Names) -> Term {
    let other = anyType()
    depth += 1
    defer { depth -= 1 }
    let x = "x\(depth)"
    let policy = random.pick(["Latest", "All", "Queue", "Ignore", "Limit(\(random.within(1...3)))"])
    return Term(
      .fixed, "(", event(other, names), " |> perform(\(policy), \(x) => ",
      random.oneIn(4)
        ? awaiting(names, names.adding(x, .data(other)).pointwise)
        : task(names.adding(x, .data(other)).pointwise), "))")
  }

  private mutating func performed(_ type: DataSort, _ names: Names) -> Term {
    let inner = names.adding("n", .data(.int)).pointwise
    let performer = performer(names)
    return Term(
      .event(type), "(", performer, ".results |> map(r => match r { Ok(n) => ", data(type, inner, .all),
      "; Err(_) => ", data(type, names.pointwise, .all), " }))")
  }

  // MARK: Sources

  private mutating func source(_ type: DataSort, _ names: Names) -> Term {
    if random.oneIn(10) { return failing(type) }
    var term = Term(.fixed, random.pick(["Source.fromList([", "Source.fromList([", "Source.lane(["]))
    let gaps = ["0s", "100ms", "200ms", "300ms"]
    let count = random.within(1...3)
    for index in 0..<count {
      term.parts.append(.text((index == 0 ? "(" : ", (") + random.pick(gaps) + ", "))
      term.parts.append(.term(data(type, names, .all)))
      term.parts.append(.text(")"))
    }
    term.parts.append(.text("])"))
    return term
  }

  /// As `never`, it alone says nothing of its type.
  private func failing(_ type: DataSort) -> Term {
    switch type {
    case .int, .float, .string: Term(.fixed, "(Source.fail(\"no\") |> Source.map(_ => \(type.simplest)))")
    default: Term(.fixed, "Source.fail(\"no\")")
    }
  }

  /// A source through functions.
  private mutating func changedSource(_ type: DataSort, _ names: Names) -> Term {
    depth += 1
    defer { depth -= 1 }
    let y = "y\(depth)"
    switch random.below(6) {
    case 0:
      let other = anyType()
      return Term(
        .fixed, "(", source(other, names), " |> Source.map(\(y) => ",
        data(type, names.adding(y, .data(other)).pointwise, .all), "))")
    case 1:
      return Term(
        .fixed, "(", source(type, names), " |> Source.filterMap(\(y) => if ",
        data(.bool, names.adding(y, .data(type)).pointwise, .all), " then Some(\(y)) else None))")
    case 2:
      let wait = random.pick(["100ms", "200ms", "0.05"])
      return Term(
        .fixed, "(", source(type, names),
        " |> reconnect(n => if n < \(random.within(1...3)) then Some(\(wait)) else None))")
    default: return source(type, names)
    }
  }

  private mutating func listener(_ type: DataSort, _ names: Names) -> Term {
    let other = anyType()
    depth += 1
    defer { depth -= 1 }
    let x = "x\(depth)"
    let policy = random.pick(["Latest", "All", "Queue", "Ignore", "Limit(\(random.within(1...3)))"])
    return Term(
      .fixed, "(", event(other, names), " |> listen(\(policy), \(x) => ",
      changedSource(type, names.adding(x, .data(other)).pointwise), "))")
  }

  private mutating func listened(_ type: DataSort, _ names: Names) -> Term {
    if random.oneIn(4) {
      return Term(
        .event(type), "(", listener(type, names), ".ends |> map(_ => ", data(type, names.pointwise, .all), "))")
    }
    return Term(.event(type), listener(type, names), ".items")
  }

  // MARK: Behaviors

  mutating func behavior(_ type: DataSort, _ names: Names) -> Term {
    fuel -= 1
    let known = candidates(type, names, .earlier)
    if fuel <= 0 || random.oneIn(3) {
      if !known.isEmpty, !random.oneIn(8) { return Term(.behavior(type), random.pick(known)) }
      if fuel <= 0 { return Term(.behavior(type), literal(type)) }
    }
    if isWide, random.oneIn(4) { return wideBehavior(type, names) }
    if random.oneIn(3) { return Term(.behavior(type), data(type, names, .earlier)) }
    if names.scopeDepth < deepest, fuel > 3, random.oneIn(4) { return turning(type, names) }
    return remembering(type, names)
  }

  private mutating func remembering(_ type: DataSort, _ names: Names) -> Term {
    let other = anyType()
    if random.oneIn(3) {
      switch type {
      case .int: return Term(.behavior(type), "(", event(other, names), " |> count)")
      case .bool where random.oneIn(3):
        return Term(
          .behavior(type), "(match ", listener(.int, names), ".state { Idle => true; Opening => false; Open => ",
          behavior(.bool, names), "; Retrying(m) => size(m) > 4 })")
      case .bool: return Term(.behavior(type), performer(names), ".busy")
      case .list(let a): return Term(.behavior(type), "window(", event(a, names), ", ", duration(), ")")
      case .option(.int):
        let join = random.pick(["(p, q) => p", "(p, q) => q", "max", "min", "(p, q) => if p > q then p else q"])
        return Term(
          .behavior(type), "(", event(other, names), " |> summary(", duration(), ", ", function(other, .int, names),
          ", \(join)))")
      case .map(.int):
        if random.oneIn(2) {
          return Term(
            .behavior(type), "(", event(other, names), " |> sumBy(", function(other, .int, names), ", ",
            function(other, .int, names), "))")
        }
        return Term(.behavior(type), "(", event(other, names), " |> countBy(", function(other, .int, names), "))")
      default: break
      }
    }
    switch random.below(8) {
    case 0, 1, 2: return Term(.behavior(type), "(", event(type, names), " |> hold(", plain(type, names), "))")
    case 3, 4, 5:
      return Term(
        .behavior(type), "(", event(other, names), " |> fold(", plain(type, names), ", ", step(type, other, names), "))"
      )
    case 6:
      let fitting = functions.filter { $0.result == .behavior(type) }
      if !fitting.isEmpty { return call(random.pick(fitting), names) }
      return Term(.behavior(type), "(", event(type, names), " |> hold(", plain(type, names), "))")
    default: return Term(.behavior(type), "Behavior.delay(", behavior(type, names), ", ", duration(), ")")
    }
  }

  private mutating func turning(_ type: DataSort, _ names: Names) -> Term {
    if isWide, random.oneIn(2), let scopes = wideScopes(type, names) { return scopes }
    let other = anyType()
    depth += 1
    defer { depth -= 1 }
    let (x, k, es) = ("x\(depth)", "k\(depth)", "es\(depth)")
    switch type {
    case .list(let a) where random.oneIn(2):
      // Keys that repeat are a fault; mostly they do not.
      let list =
        random.oneIn(8)
        ? data(.list(.int), names, .earlier) : Term(.fixed, "distinct(", data(.list(.int), names, .earlier), ")")
      return Term(
        .behavior(type), "each(", list, ", y => y, ",
        scope([(x, .behavior(.int))], names) { $0.behavior(a, $1) }, ")")
    case .map(let a):
      if random.oneIn(2) {
        return Term(
          .behavior(type), "(", event(other, names), " |> groupUntil(", function(other, .int, names), ", ",
          scope([(k, .data(.int)), (es, .event(other))], names) {
            Term(.fixed, "(", $0.behavior(a, $1), ", ", $0.event($0.anyType(), $1), ")")
          }, "))")
      }
      return Term(
        .behavior(type), "(", event(other, names), " |> groupBy(", function(other, .int, names), ", ",
        scope([(k, .data(.int)), (es, .event(other))], names) { $0.behavior(a, $1) }, "))")
    default:
      return Term(
        .behavior(type), "(", event(other, names), " |> switch(", behavior(type, names), ", ",
        scope([(x, .data(other))], names) { $0.behavior(type, $1) }, "))")
    }
  }

  /// A call of a function with memory.
  private mutating func call(_ function: MadeFunction, _ names: Names) -> Term {
    var term = Term(function.result, function.prefix)
    for (index, parameter) in function.parameters.enumerated() {
      if index > 0 { term.parts.append(.text(", ")) }
      switch parameter {
      case .behavior(let type): term.parts.append(.term(behavior(type, names)))
      case .event(let type): term.parts.append(.term(event(type, names)))
      case .data(let type): term.parts.append(.term(data(type, names, .earlier)))
      case .fixed: break
      }
    }
    term.parts.append(.text(")"))
    return term
  }
}
