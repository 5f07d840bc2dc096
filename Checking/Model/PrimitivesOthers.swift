// The pure operations on strings, maps, options and results, and the descriptions of tasks.

import FRPCore

extension Model {
  // MARK: Strings: sizes and places count Characters

  func textFunction(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    if prim == .stringFromCode {
      let scalar = UInt32(exactly: try int(v[0])).flatMap { Unicode.Scalar($0) }
      return .option(scalar.map { .string(String(Character($0))) })
    }
    guard case .string(let s)? = v.first else { return nil }
    switch prim {
    case .stringSize: return .int(s.count)
    case .stringIsEmpty: return .bool(s.isEmpty)
    case .stringUpper: return .string(s.uppercased())
    case .stringLower: return .string(s.lowercased())
    case .stringTrim: return .string(trimmed(s, start: true, end: true))
    case .stringTrimStart: return .string(trimmed(s, start: true, end: false))
    case .stringTrimEnd: return .string(trimmed(s, start: false, end: true))
    case .stringReverse: return .string(String(s.reversed()))
    case .stringRepeat: return .string(String(repeating: s, count: max(0, try int(v[1]))))
    case .stringCharacters: return .list(s.map { .string(String($0)) })
    case .stringWords: return .list(s.split(whereSeparator: \.isWhitespace).map { .string(String($0)) })
    case .stringSplit: return .list(split(s, try string(v[1])).map(ModelValue.string))
    case .stringReplace:
      let part = try string(v[1])
      return part.isEmpty ? v[0] : .string(split(s, part).joined(separator: try string(v[2])))
    case .stringContains: return .bool(place(of: try string(v[1]), in: s) != nil)
    case .stringIndexOf: return .option(place(of: try string(v[1]), in: s).map(ModelValue.int))
    case .stringStartsWith: return .bool(found(s).starts(with: found(try string(v[1]))))
    case .stringEndsWith: return .bool(found(s).reversed().starts(with: found(try string(v[1])).reversed()))
    case .stringTake: return .string(String(s.prefix(max(0, try int(v[1])))))
    case .stringDrop: return .string(String(s.dropFirst(max(0, try int(v[1])))))
    case .stringTakeLast: return .string(String(s.suffix(max(0, try int(v[1])))))
    case .stringDropLast: return .string(String(s.dropLast(max(0, try int(v[1])))))
    case .stringGet:
      let index = try int(v[1])
      let all = Array(s)
      return .option(all.indices.contains(index) ? .string(String(all[index])) : nil)
    case .stringToInt:
      let digits = s.first == "-" || s.first == "+" ? s.dropFirst() : s[...]
      let isNumber = !digits.isEmpty && digits.unicodeScalars.allSatisfy { ("0"..."9").contains($0) }
      return .option(isNumber ? Int(s).map(ModelValue.int) : nil)
    case .stringToFloat: return .option(float(written: s).map(ModelValue.float))
    case .stringLines:
      // A line end is one Character, whatever it is made of.
      var lines = s.split(omittingEmptySubsequences: false, whereSeparator: { ["\n", "\r", "\r\n"].contains($0) })
        .map { String($0) }
      if lines.last == "" { lines.removeLast() }
      return .list(lines.map(ModelValue.string))
    case .stringSlice:
      let (from, to) = (max(0, try int(v[1])), try int(v[2]))
      return .string(String(s.prefix(max(0, to)).dropFirst(from)))
    case .stringPadStart: return .string(try padding(s, v) + s)
    case .stringPadEnd: return .string(try s + padding(s, v))
    case .stringCode: return .option(s.unicodeScalars.first.map { .int(Int($0.value)) })
    case .stringIsLetter: return .bool(!s.isEmpty && s.unicodeScalars.allSatisfy(\.properties.isAlphabetic))
    case .stringIsSpace: return .bool(!s.isEmpty && s.unicodeScalars.allSatisfy(\.properties.isWhitespace))
    case .stringIsDigit: return .bool(!s.isEmpty && s.unicodeScalars.allSatisfy { ("0"..."9").contains($0) })
    default: return nil
    }
  }

  private func trimmed(_ s: String, start: Bool, end: Bool) -> String {
    var rest = s[...]
    if start { rest = rest.drop(while: \.isWhitespace) }
    if end { while rest.last?.isWhitespace == true { rest = rest.dropLast() } }
    return String(rest)
  }

  /// What is missing up to a size, of the fill over and over.
  private func padding(_ s: String, _ v: [ModelValue]) throws -> String {
    let (missing, fill) = (try int(v[1]) - s.count, try string(v[2]))
    return missing <= 0 || fill.isEmpty ? "" : String(String(repeating: fill, count: missing).prefix(missing))
  }

  /// Digits, perhaps with a sign, a fraction and an exponent.
  private func float(written s: String) -> Double? {
    let isPlain = s.unicodeScalars.allSatisfy { ("0"..."9").contains($0) || "+-.eE".unicodeScalars.contains($0) }
    return isPlain ? Double(s).flatMap { $0.isFinite ? $0 : nil } : nil
  }

  /// Characters by their scalars; a line feed after a carriage return is found by itself.
  private func found(_ s: String) -> [[Unicode.Scalar]] {
    s.flatMap { $0 == "\r\n" ? [["\r"], ["\n"]] : [Array($0.unicodeScalars)] }
  }

  private func text(_ characters: some Sequence<[Unicode.Scalar]>) -> String {
    var text = ""
    for character in characters { text.unicodeScalars += character }
    return text
  }

  private func places(of part: [[Unicode.Scalar]], in all: [[Unicode.Scalar]]) -> Int? {
    if part.count > all.count { return nil }
    return (0...all.count - part.count).first { Array(all[$0..<$0 + part.count]) == part }
  }

  private func place(of part: String, in s: String) -> Int? {
    let all = found(s)
    guard let place = places(of: found(part), in: all) else { return nil }
    let isInside = place > 0 && place < all.count && all[place] == ["\n"] && all[place - 1] == ["\r"]
    return text(all[..<place]).count - (isInside ? 1 : 0)
  }

  private func split(_ s: String, _ separator: String) -> [String] {
    if separator.isEmpty { return s.map { String($0) } }
    let wanted = found(separator)
    var rest = found(s)[...]
    var parts: [String] = []
    while let index = places(of: wanted, in: Array(rest)) {
      parts.append(text(rest.prefix(index)))
      rest = rest.dropFirst(index + wanted.count)
    }
    return parts + [text(rest)]
  }

  // MARK: Maps: entries in the order of their keys

  func mapFunction(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    if prim == .mapEmpty { return .map([]) }
    if prim == .mapFromList { return .map(of: try list(v[0]).compactMap { entry($0) }) }
    if prim == .setFromList { return .set(of: try list(v[0])) }
    guard case .map(var a)? = v.first else { return nil }
    let found = v.count > 1 ? a.firstIndex { ModelValue.equal($0.key, v[1]) } : nil
    switch prim {
    case .mapGet: return .option(found.map { a[$0].value })
    case .mapGetOr: return found.map { a[$0].value } ?? v[2]
    case .mapContains: return .bool(found != nil)
    case .mapSize: return .int(a.count)
    case .mapIsEmpty: return .bool(a.isEmpty)
    case .mapKeys: return .list(a.map(\.key))
    case .mapValues: return .list(a.map(\.value))
    case .mapToList: return .list(a.map { .pair($0.key, $0.value) })
    case .mapSet:
      ModelValue.insert(ModelEntry(key: v[1], value: v[2]), into: &a)
      return .map(a)
    case .mapAdd:
      let sum = try found.map { try add(a[$0].value, v[2]) } ?? v[2]
      ModelValue.insert(ModelEntry(key: v[1], value: sum), into: &a)
      return .map(a)
    case .mapRemove:
      if let found { a.remove(at: found) }
      return .map(a)
    case .mapUpdate:
      let new = try content(apply(function(v[2]), [.option(found.map { a[$0].value })]))
      if let found { a.remove(at: found) }
      if let new { ModelValue.insert(ModelEntry(key: v[1], value: new), into: &a) }
      return .map(a)
    default: return try mapOfEntries(prim, a, v) ?? setFunction(prim, a, v)
    }
  }

  /// What is made of each entry by itself, and of two maps.
  private func mapOfEntries(_ prim: Prim, _ all: [ModelEntry], _ v: [ModelValue]) throws -> ModelValue? {
    var a = all
    switch prim {
    case .mapMap:
      for index in a.indices { a[index].value = try apply(function(v[1]), [a[index].key, a[index].value]) }
      return .map(a)
    case .mapMapValues:
      for index in a.indices { a[index].value = try apply(function(v[1]), [a[index].value]) }
      return .map(a)
    case .mapFilter:
      var kept: [ModelEntry] = []
      for entry in a where try bool(apply(function(v[1]), [entry.key, entry.value])) { kept.append(entry) }
      return .map(kept)
    case .mapFilterValues:
      var kept: [ModelEntry] = []
      for entry in a where try bool(apply(function(v[1]), [entry.value])) { kept.append(entry) }
      return .map(kept)
    case .mapFold:
      var state = v[1]
      for entry in a { state = try apply(function(v[2]), [state, entry.key, entry.value]) }
      return state
    case .mapUnion, .mapUnionWith:
      guard case .map(let b) = v[1] else { return nil }
      for entry in b {
        if let index = a.firstIndex(where: { ModelValue.equal($0.key, entry.key) }) {
          if prim == .mapUnionWith { a[index].value = try apply(function(v[2]), [a[index].value, entry.value]) }
        } else {
          ModelValue.insert(entry, into: &a)
        }
      }
      return .map(a)
    default: return nil
    }
  }

  /// Sets are maps to `()`; what looks at keys alone is said above.
  private func setFunction(_ prim: Prim, _ a: [ModelEntry], _ v: [ModelValue]) throws -> ModelValue? {
    let keys = a.map(\.key)
    switch prim {
    case .setAdd: return .set(of: keys + [v[1]])
    case .setIntersect, .setDifference:
      guard case .map(let b) = v[1] else { return nil }
      return .set(
        of: keys.filter { key in b.contains { ModelValue.equal($0.key, key) } == (prim == .setIntersect) })
    case .setMap: return .set(of: try each(keys, function(v[1])))
    case .setFilter:
      var kept: [ModelValue] = []
      for key in keys where try bool(apply(function(v[1]), [key])) { kept.append(key) }
      return .set(of: kept)
    case .setFold:
      var state = v[1]
      for key in keys { state = try apply(function(v[2]), [state, key]) }
      return state
    default: return nil
    }
  }

  private func entry(_ pair: ModelValue) -> ModelEntry? {
    guard case .data(_, let parts) = pair, parts.count == 2 else { return nil }
    return ModelEntry(key: parts[0], value: parts[1])
  }

  // MARK: Options and results

  func optionFunction(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    switch prim {
    case .optionAll, .resultAll: return try gathered(v[0], isOption: prim == .optionAll)
    // Ok(x), or Err of its fault
    case .attempt:
      do {
        return .ok(try apply(function(v[0]), [.unit]))
      } catch {
        return .err(.data(0, [.string(ModelFault(error).message)]))
      }
    default: break
    }
    guard case .data(let tag, let parts)? = v.first else { return nil }
    let has = tag == 1
    switch prim {
    case .optionWithDefault: return has ? parts[0] : v[1]
    case .optionMap: return has ? .some(try apply(function(v[1]), parts)) : v[0]
    case .optionFlatMap: return has ? try apply(function(v[1]), parts) : v[0]
    case .optionMap2:
      guard let a = try content(v[0]), let b = try content(v[1]) else { return ModelValue.none }
      return ModelValue.some(try apply(function(v[2]), [a, b]))
    case .optionFilter: return try has && bool(apply(function(v[1]), parts)) ? v[0] : ModelValue.none
    case .optionOrElse: return has ? v[0] : v[1]
    case .optionIsSome: return .bool(has)
    case .optionIsNone: return .bool(!has)
    case .optionToResult: return has ? .ok(parts[0]) : .err(v[1])
    case .optionToList: return .list(parts)
    case .resultWithDefault: return has ? v[1] : parts[0]
    case .resultMap: return has ? v[0] : .ok(try apply(function(v[1]), parts))
    case .resultFlatMap: return has ? v[0] : try apply(function(v[1]), parts)
    case .resultMapError: return has ? .err(try apply(function(v[1]), parts)) : v[0]
    case .resultRecover: return has ? try apply(function(v[1]), parts) : v[0]
    case .resultIsOk: return .bool(!has)
    case .resultIsErr: return .bool(has)
    case .resultOk: return .option(has ? nil : parts[0])
    case .resultErr: return .option(has ? parts[0] : nil)
    case .resultMap2:
      guard case .data(let other, let more) = v[1] else { return nil }
      if has { return v[0] }
      return other == 1 ? v[1] : .ok(try apply(function(v[2]), [parts[0], more[0]]))
    default: return nil
    }
  }

  /// All contents, or what the first without any is.
  private func gathered(_ value: ModelValue, isOption: Bool) throws -> ModelValue {
    var contents: [ModelValue] = []
    for item in try list(value) {
      guard case .data(let tag, let parts) = item else { throw ModelFault("not a variant") }
      if (tag == 1) != isOption { return item }
      contents += parts
    }
    return isOption ? .some(.list(contents)) : .ok(.list(contents))
  }

  // MARK: Tasks

  private func task(_ value: ModelValue) throws -> ModelTask {
    if case .task(let task) = value { return task }
    throw ModelFault("not a Task")
  }

  func taskFunction(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    switch prim {
    case .taskSucceed: return .task(.succeed(v[0]))
    case .taskFail: return .task(.fail(try string(v[0])))
    case .taskFromResult:
      guard case .data(let tag, let parts) = v[0] else { return nil }
      if tag == 0 { return .task(.succeed(parts[0])) }
      guard case .data(_, let fields) = parts[0] else { return nil }
      return .task(.fail(try string(fields[0])))
    case .taskAfter: return .task(.after(try float(v[0]), v[1]))
    case .taskAll, .taskRace:
      var tasks: [ModelTask] = []
      for item in try list(v[0]) { tasks.append(try task(item)) }
      return .task(prim == .taskAll ? .all(tasks) : .race(tasks))
    case .taskMap: return .task(.map(try task(v[0]), try function(v[1])))
    case .taskAndThen: return .task(.andThen(try task(v[0]), try function(v[1])))
    case .taskRecover: return .task(.recover(try task(v[0]), try function(v[1])))
    case .taskRetry: return .task(.retry(try task(v[0]), try int(v[1])))
    case .taskRetryWith: return .task(.retryWith(try task(v[0]), try function(v[1])))
    case .taskTimeout: return .task(.timeout(try task(v[0]), try float(v[1])))
    case .taskAwaitWhere:
      guard case .awaited(let source, let home, _) = try task(v[0]) else { return nil }
      return .task(.awaited(source, instance: home, try function(v[1])))
    case .sourceFromList, .sourceLane:
      let pairs = try list(v[0]).map { pair in
        guard case .data(_, let parts) = pair else { throw ModelFault("not a pair") }
        return (try float(parts[0]), parts[1])
      }
      return .task(.lane(pairs, ends: prim == .sourceFromList))
    case .sourceFail: return .task(.fail(try string(v[0])))
    case .sourceMap: return .task(.sourceMap(try task(v[0]), try function(v[1])))
    case .sourceFilterMap: return .task(.sourceFilterMap(try task(v[0]), try function(v[1])))
    case .sourceReconnect: return .task(.reconnect(try task(v[0]), try function(v[1])))
    // What answers a call is what it does.
    case .standIn: return v[1]
    case .hostCall:
      guard let host else { throw ModelFault("nobody provides this function of the host") }
      return try host(try int(v[0]), v[1])
    default: return nil
    }
  }
}
