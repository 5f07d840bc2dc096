// The pure operations on lists.

import FRPCore

extension Model {
  func each(
    _ items: [ModelValue], _ f: ModelFunction
  ) throws -> [ModelValue] {
    var result: [ModelValue] = []
    for item in items { result.append(try apply(f, [item])) }
    return result
  }

  private func keep(_ items: [ModelValue], _ test: ModelFunction) throws -> [ModelValue] {
    var result: [ModelValue] = []
    for item in items where try bool(apply(test, [item])) { result.append(item) }
    return result
  }

  /// Where `test` first holds; nothing after that is looked at.
  private func place(_ items: [ModelValue], _ test: ModelFunction, is wanted: Bool = true) throws -> Int? {
    for (index, item) in items.enumerated() where try bool(apply(test, [item])) == wanted { return index }
    return nil
  }

  func listFunction(_ prim: Prim, _ v: [ModelValue], _ type: TypeID) throws -> ModelValue? {
    if let made = try madeList(prim, v) { return made }
    guard case .list(let a)? = v.first else { return nil }
    switch prim {
    case .listMap: return .list(try each(a, function(v[1])))
    case .listMapIndexed:
      var result: [ModelValue] = []
      for (index, item) in a.enumerated() { result.append(try apply(function(v[1]), [.int(index), item])) }
      return .list(result)
    case .listFilter: return .list(try keep(a, function(v[1])))
    case .listFilterMap:
      var result: [ModelValue] = []
      for item in a { if let some = try content(apply(function(v[1]), [item])) { result.append(some) } }
      return .list(result)
    case .listFlatMap:
      var result: [ModelValue] = []
      for item in a { result += try list(apply(function(v[1]), [item])) }
      return .list(result)
    case .listFold:
      var state = v[1]
      for item in a { state = try apply(function(v[2]), [state, item]) }
      return state
    case .listFoldRight:
      var state = v[1]
      for item in a.reversed() { state = try apply(function(v[2]), [state, item]) }
      return state
    case .listScan:
      var states: [ModelValue] = []
      for item in a { states.append(try apply(function(v[2]), [states.last ?? v[1], item])) }
      return .list(states)
    case .listTakeWhile: return .list(Array(a.prefix(try place(a, function(v[1]), is: false) ?? a.count)))
    case .listDropWhile: return .list(Array(a.dropFirst(try place(a, function(v[1]), is: false) ?? a.count)))
    case .listAny: return .bool(try place(a, function(v[1])) != nil)
    case .listAll: return .bool(try place(a, function(v[1]), is: false) == nil)
    case .listCount: return .int(try keep(a, function(v[1])).count)
    case .listFind: return .option(try place(a, function(v[1])).map { a[$0] })
    case .listFindIndex: return .option(try place(a, function(v[1])).map(ModelValue.int))
    case .listPartition:
      let test = try function(v[1])
      var parts: [[ModelValue]] = [[], []]
      for item in a { parts[try bool(apply(test, [item])) ? 0 : 1].append(item) }
      return .pair(.list(parts[0]), .list(parts[1]))
    case .listZipWith:
      var result: [ModelValue] = []
      for (x, y) in zip(a, try list(v[1])) { result.append(try apply(function(v[2]), [x, y])) }
      return .list(result)
    default: return try total(prim, a, v, type) ?? listPart(prim, a, v)
    }
  }

  /// One value of all elements.
  private func total(_ prim: Prim, _ a: [ModelValue], _ v: [ModelValue], _ type: TypeID) throws -> ModelValue? {
    switch prim {
    case .listSum:
      if type != .int { return .float(try finite(ExactModel.sum(try a.map(float)))) }
      var sum = ModelValue.int(0)
      for item in a { sum = try add(sum, item) }
      return sum
    case .listProduct:
      var product: ModelValue = type == .int ? .int(1) : .float(1)
      for item in a { product = try multiply(product, item) }
      return product
    case .listAverage:
      if a.isEmpty { return ModelValue.none }
      return ModelValue.some(.float(try finite(ExactModel.sum(try a.map(float))) / Double(a.count)))
    case .listJoin:
      var parts: [String] = []
      for item in a { parts.append(try string(item)) }
      return .string(parts.joined(separator: try string(v[1])))
    default: return nil
    }
  }

  private func madeList(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    switch prim {
    case .listRepeat: return .list(Array(repeating: v[0], count: max(0, try int(v[1]))))
    case .listGenerate:
      var result: [ModelValue] = []
      for index in 0..<max(0, try int(v[0])) { result.append(try apply(function(v[1]), [.int(index)])) }
      return .list(result)
    default: return nil
    }
  }

  private func index(_ value: ModelValue, in range: Range<Int>) throws -> Int {
    let index = try int(value)
    if range.contains(index) { return index }
    throw ModelFault("index out of range")
  }

  private func listPart(_ prim: Prim, _ a: [ModelValue], _ v: [ModelValue]) throws -> ModelValue? {
    var a = a
    switch prim {
    case .listTake: return .list(Array(a.prefix(max(0, try int(v[1])))))
    case .listDrop: return .list(Array(a.dropFirst(max(0, try int(v[1])))))
    case .listTakeLast: return .list(Array(a.suffix(max(0, try int(v[1])))))
    case .listDropLast: return .list(Array(a.dropLast(max(0, try int(v[1])))))
    case .listSize: return .int(a.count)
    case .listIsEmpty: return .bool(a.isEmpty)
    case .listHead: return .option(a.first)
    case .listTail: return .option(a.isEmpty ? nil : .list(Array(a.dropFirst())))
    case .listLast: return .option(a.last)
    case .listGet: return .option(a.indices.contains(try int(v[1])) ? a[try int(v[1])] : nil)
    case .listSet:
      a[try index(v[1], in: a.indices)] = v[2]
      return .list(a)
    case .listUpdate:
      let place = try index(v[1], in: a.indices)
      a[place] = try apply(function(v[2]), [a[place]])
      return .list(a)
    case .listInsert:
      a.insert(v[2], at: try index(v[1], in: 0..<a.count + 1))
      return .list(a)
    case .listRemoveAt:
      a.remove(at: try index(v[1], in: a.indices))
      return .list(a)
    case .listReverse: return .list(a.reversed())
    case .listConcat:
      var result: [ModelValue] = []
      for item in a { result += try list(item) }
      return .list(result)
    case .listIntersperse: return .list(Array(a.map { [$0] }.joined(separator: [v[1]])))
    case .listZip: return .list(zip(a, try list(v[1])).map { .pair($0, $1) })
    case .listUnzip:
      let parts = a.compactMap { if case .data(_, let parts) = $0 { parts } else { nil } }
      return .pair(.list(parts.map { $0[0] }), .list(parts.map { $0[1] }))
    case .listIndexed: return .list(a.enumerated().map { .pair(.int($0.offset), $0.element) })
    case .listPairwise: return .list(zip(a, a.dropFirst()).map { .pair($0, $1) })
    case .listChunk:
      let size = try int(v[1])
      if size < 1 { throw ModelFault("size below 1") }
      return .list(stride(from: 0, to: a.count, by: size).map { .list(Array(a[$0..<min(a.count, $0 + size)])) })
    case .listWindows:
      let size = try int(v[1])
      if size < 1 { throw ModelFault("size below 1") }
      return .list(a.count < size ? [] : (0...a.count - size).map { .list(Array(a[$0..<$0 + size])) })
    default: return nil
    }
  }

  // MARK: By order and equality

  func listOrder(_ prim: Prim, _ v: [ModelValue]) throws -> ModelValue? {
    guard case .list(let a)? = v.first else { return nil }
    switch prim {
    case .listSort: return .list(sorted(a, by: a))
    case .listSortBy: return .list(sorted(a, by: try each(a, function(v[1]))))
    case .listSortWith:
      // Insertion, each after all that it must not come before.
      var result: [ModelValue] = []
      for item in a {
        var place = result.count
        while place > 0, try bool(apply(function(v[1]), [item, result[place - 1]])) { place -= 1 }
        result.insert(item, at: place)
      }
      return .list(result)
    case .listMinimum: return .option(extreme(a, by: a, -1))
    case .listMaximum: return .option(extreme(a, by: a, 1))
    case .listMinimumBy: return .option(extreme(a, by: try each(a, function(v[1])), -1))
    case .listMaximumBy: return .option(extreme(a, by: try each(a, function(v[1])), 1))
    case .listContains: return .bool(a.contains { ModelValue.equal($0, v[1]) })
    case .listIndexOf: return .option(a.firstIndex { ModelValue.equal($0, v[1]) }.map(ModelValue.int))
    case .listDistinct: return .list(distinct(a, by: a))
    case .listDistinctBy: return .list(distinct(a, by: try each(a, function(v[1]))))
    case .listGroupBy, .listCountBy:
      var groups: [ModelEntry] = []
      for (item, key) in zip(a, try each(a, function(v[1]))) {
        let known = groups.first { ModelValue.equal($0.key, key) }?.value
        var members = ModelValue.list([item])
        if prim == .listCountBy {
          members = try add(known ?? .int(0), .int(1))
        } else if let known {
          members = .list(try list(known) + [item])
        }
        ModelValue.insert(ModelEntry(key: key, value: members), into: &groups)
      }
      return .map(groups)
    case .listTopBy:
      // The first of equal ones are first: sorted backwards, and read backwards.
      let back = Array(a.reversed())
      let order = sorted(back, by: try each(a, function(v[2])).reversed())
      return .list(Array(order.reversed().prefix(max(0, try int(v[1])))))
    case .listMedian: return try quantile(a, 0.5)
    case .listQuantile:
      let part = try float(v[1])
      if part < 0 || part > 1 { throw ModelFault("no part of a list") }
      return try quantile(a, part)
    case .listVariance:
      if a.count < 2 { return ModelValue.none }
      return ModelValue.some(.float(try finite(ExactModel.variance(try a.map(float)))))
    default: return nil
    }
  }

  private func finite(_ number: Double) throws -> Double {
    if !number.isFinite { throw ModelFault("not a finite number") }
    return number
  }

  /// What a part of a list lies below: between two elements in proportion.
  private func quantile(_ items: [ModelValue], _ part: Double) throws -> ModelValue {
    if items.isEmpty { return ModelValue.none }
    let numbers = try items.map(float).sorted()
    let place = Double(numbers.count - 1) * part
    let (below, beyond) = (Int(place), place - place.rounded(.down))
    if beyond == 0 { return .some(.float(numbers[below])) }
    return .some(.float(numbers[below] * (1 - beyond) + numbers[below + 1] * beyond))
  }

  /// Stable, by insertion.
  private func sorted(_ items: [ModelValue], by keys: [ModelValue]) -> [ModelValue] {
    var result: [(key: ModelValue, item: ModelValue)] = []
    for (key, item) in zip(keys, items) {
      let place = result.firstIndex { ModelValue.order($0.key, key) > 0 } ?? result.count
      result.insert((key, item), at: place)
    }
    return result.map(\.item)
  }

  /// The first of the least (-1) or greatest (1).
  private func extreme(_ items: [ModelValue], by keys: [ModelValue], _ sign: Int) -> ModelValue? {
    var best: Int?
    for index in items.indices where best.map({ ModelValue.order(keys[index], keys[$0]) * sign > 0 }) ?? true {
      best = index
    }
    return best.map { items[$0] }
  }

  private func distinct(_ items: [ModelValue], by keys: [ModelValue]) -> [ModelValue] {
    items.indices.filter { index in !keys[..<index].contains { ModelValue.equal($0, keys[index]) } }.map { items[$0] }
  }
}
