// How each expression is computed, given the registers of its operands.

import FRPBase
import FRPCore

extension BodyEmitter {
  func operand(_ item: Int, _ number: Int) -> Int { graph.items[item].operands[number].item }

  /// Writes the computation of an item; its value is in the register returned, which is `target` if there is one.
  @discardableResult
  func compute(_ item: Int, _ target: Int?) -> Int {
    let outer = span
    defer { span = outer }
    switch graph.items[item].key {
    case .node(let node):
      return graph.isCaptured(.cell(node)) ? forced(item, target) : load(graph.items[item].key, target)
    case .cell(let node):
      return graph.isCaptured(.cell(node)) ? load(.cell(node), target) : cell(node, target)
    case .local(let local): return store.captures.isLazy(local) ? forced(item, target) : load(.local(local), target)
    case .thunk(let local):
      if graph.isCaptured(.thunk(local)) { return load(.thunk(local), target) }
      return fromWindow(
        .suspend, item, items: graph.items[item].operands.map(\.item), store.thunk(local), target: target)
    case .expr(let id):
      if !core.span(id).isNone { span = core.span(id) }
      return compute(item, id, target: target)
    }
  }

  private func compute(_ item: Int, _ id: CoreExprID, target: Int?) -> Int {
    switch core[id] {
    case .unit: return small(0, target)
    case .bool(let value): return small(value ? 1 : 0, target)
    case .int(let value):
      if let value = Int32(exactly: value) { return small(Int(value), target) }
      return constant(store.constant(UInt64(bitPattern: Int64(value))), target)
    case .float(let value): return constant(store.constant(value.bitPattern), target)
    case .string(let text): return constant(store.constant(text), target)
    case .prim(let prim, let arguments): return computePrim(item, id, prim: prim, arguments: arguments, target: target)
    case .call(let function, _): return call(item, function, target: target)
    case .apply: return apply(item, target)
    case .conditional: return conditional(item, target)
    case .list(let elements, let spreads): return list(item, id, elements: elements, spreads: spreads, target: target)
    case .lambda(let lambda):
      let place = store.closure(id, lambda)
      let captures = graph.items[item].operands.map(\.item)
      if captures.isEmpty { return constant(store.constant(closure: place), target) }
      return fromWindow(.closure, item, items: captures, place, target: target)
    case .construct(let tag, let fields): return construct(item, tag, fields: fields, target: target)
    case .field(_, let index, _): return unary(.field, item, target: target, c: index)
    case .hasTag(_, let tag): return unary(.hasTag, item, target: target, c: tag)
    case .update(_, let fields): return update(item, fields.map(\.index), target: target)
    case .local, .read, .thunk, .suspend, .unreachable, .placeholder:
      add(.unreachable)
      return target ?? allocate()
    }
  }

  func small(_ value: Int, _ target: Int?) -> Int {
    let result = target ?? allocate()
    add(.small, result, value)
    return result
  }

  func constant(_ place: Int, _ target: Int?) -> Int {
    let result = target ?? allocate()
    add(.constant, result, place)
    return result
  }

  func unary(_ op: Op, _ item: Int, target: Int?, c: Int = 0) -> Int {
    let mark = mark()
    let source = value(operand(item, 0))
    release(mark)
    let result = target ?? allocate()
    add(op, result, source, c)
    return result
  }

  func binary(_ op: Op, _ left: Int, right: Int, target: Int?, d: Int = 0) -> Int {
    let mark = mark()
    let b = value(left)
    let c = value(right)
    release(mark)
    let result = target ?? allocate()
    add(op, result, b, c, d: d)
    return result
  }

  private func forced(_ item: Int, _ target: Int?) -> Int {
    let mark = mark()
    let source = value(operand(item, 0))
    release(mark)
    let window = top
    let result = target ?? allocate()
    add(.forceThunk, result, source, window)
    return result
  }

  private func cell(_ node: NodeID, _ target: Int?) -> Int {
    let slot = store.layout.slot(node)
    let frame = frame(of: core[node].scope)
    let isReference = core.types.isReference(core[node].type) ? 1 : 0
    if store.isPulled(node) {
      let result = allocate()
      add(.pulledCell, result, slot, node.index, d: 2 * frame + isReference)
      return moved(result, target)
    }
    let result = target ?? allocate()
    add(.cell, result, slot, frame, d: isReference)
    return result
  }

  // MARK: Windows

  /// Computes items into consecutive registers; gives the first of them. `header` words before it are free.
  func window(_ items: [Int], header: Int = 0) -> Int {
    let before = mark()
    let first = allocate(header + items.count) + header
    for (offset, item) in items.enumerated() { value(item, into: first + offset) }
    if before.log == mark().log { return first }
    // Something that lives longer was computed above: what a call does must not reach it.
    let moved = allocate(header + items.count) + header
    for offset in items.indices { add(.move, moved + offset, first + offset) }
    return moved
  }

  /// An instruction over a window of items.
  private func fromWindow(_ op: Op, _ item: Int, items: [Int], _ c: Int, target: Int?, d: Int = 0) -> Int {
    let mark = mark()
    let first = window(items)
    release(mark)
    let result = target ?? allocate()
    add(op, result, first, c, d: d)
    return result
  }

  // MARK: Calls

  /// The arguments of a call, those of lazy parameters as suspended computations.
  func arguments(_ item: Int, from start: Int) -> [Int] {
    graph.items[item].operands[start...].map(\.item)
  }

  private func call(_ item: Int, _ function: FunctionID, target: Int?) -> Int {
    let mark = mark()
    let first = callWindow(item, function)
    release(mark)
    let result = target ?? allocate()
    add(.call, result, first - Layout.callHeader, store.function(function).index)
    return result
  }

  func callWindow(_ item: Int, _ function: FunctionID) -> Int {
    let items = arguments(item, from: 0)
    let first = window(items, header: Layout.callHeader)
    let parameters = core[function].parameters
    for (offset, local) in parameters.enumerated() where offset < items.count && store.captures.isLazy(local) {
      switch graph.items[items[offset]].key {
      case .thunk, .cell: continue
      case .node, .local, .expr: break
      }
      // A plain value for a lazy parameter: already done.
      let isReference = core.types.isReference(core.localTypes[local.index])
      add(.suspended, first + offset, first + offset, d: isReference ? 1 : 0)
    }
    return first
  }

  private func apply(_ item: Int, _ target: Int?) -> Int {
    let mark = mark()
    let function = value(operand(item, 0))
    let items = arguments(item, from: 1)
    let first = window(items, header: Layout.callHeader)
    release(mark)
    let result = target ?? allocate()
    add(.apply, result, first - Layout.callHeader, function, d: items.count)
    return result
  }

  func routine(_ item: Int, _ id: CoreExprID, prim: Prim, arguments: [CoreExprID], target: Int?) -> Int {
    let form = store.captures.form(prim, arguments)
    var call = PrimCall(
      form.prim, form.arguments.map { core.type($0) }, result: core.type(id), span: core.span(id))
    (call.entries, call.isReversed) = (form.entries, form.isReversed)
    if form.entries != .none { call.map = core.type(form.operands[0]) }
    let items = graph.items[item].operands.map(\.item)
    return fromWindow(.routine, item, items: items, store.call(call), target: target)
  }

  // MARK: Data

  private func construct(_ item: Int, _ tag: Int, fields: [CoreExprID], target: Int?) -> Int {
    if fields.isEmpty { return small(tag << 1 | 1, target) }
    let references = fields.map { core.types.isReference(core.type($0)) }
    let header = ObjectHeader.make(tag: tag, references: references)
    let items = graph.items[item].operands.map(\.item)
    if fields.count <= ObjectHeader.widestMask {
      return fromWindow(.construct, item, items: items, store.constant(header), target: target, d: fields.count)
    }
    let place = store.constants([header] + ObjectHeader.wideMask(references: references))
    return fromWindow(.constructWide, item, items: items, place, target: target, d: fields.count)
  }

  private func update(_ item: Int, _ indices: [Int], target: Int?) -> Int {
    let mark = mark()
    let source = value(operand(item, 0))
    let fields = indices.indices.map { value(operand(item, $0 + 1)) }
    // Not into `target`: a field's value may be there.
    let copy = allocate()
    add(.copyObject, copy, source)
    for (offset, index) in indices.enumerated() { add(.setField, copy, fields[offset], index) }
    release(mark)
    let result = target ?? allocate()
    if result != copy { add(.move, result, copy) }
    return result
  }

  private func list(
    _ item: Int, _ id: CoreExprID, elements: [CoreExprID], spreads: [Bool], target: Int?
  ) -> Int {
    let isReference = references(inListOf: core.type(id)) ? 1 : 0
    let items = graph.items[item].operands.map(\.item)
    if !spreads.contains(true) {
      return fromWindow(.makeList, item, items: items, items.count, target: target, d: isReference)
    }
    let mark = mark()
    let result = allocate()
    var start = 0
    var isFirst = true
    while start < items.count {
      var end = start
      while end < items.count, !spreads[end] { end += 1 }
      let piece = allocate()
      if end > start {
        _ = fromWindow(.makeList, item, items: Array(items[start..<end]), end - start, target: piece, d: isReference)
      } else {
        value(items[start], into: piece)
        end += 1
      }
      if isFirst { add(.move, result, piece) } else { add(.appendList, result, result, piece, d: isReference) }
      isFirst = false
      start = end
    }
    release(mark)
    let place = target ?? allocate()
    if place != result { add(.move, place, result) }
    return place
  }

  func references(inListOf type: TypeID) -> Bool {
    if case .list(let element) = core.types[type] { return core.types.isReference(element) }
    return true
  }

  // MARK: Prims

  private func computePrim(
    _ item: Int, _ id: CoreExprID, prim: Prim, arguments: [CoreExprID], target: Int?
  ) -> Int {
    if let lambda = graph.inlined(prim, arguments) {
      return inlined(item, id, prim: prim, arguments: arguments, lambda: lambda, target: target)
    }
    if prim == .and || prim == .or { return conditional(item, target) }
    if let comparison = Comparison(prim), arguments.count == 2 {
      return compare(item, id, prim: prim, comparison: comparison, arguments: arguments, target: target)
    }
    if arguments.count == 2, let op = CodeOperators.binary(prim, core.type(arguments[0])) {
      return arithmetic(item, op, target: target)
    }
    if arguments.count == 1, let op = CodeOperators.unary(prim, core.type(arguments[0])) {
      return unary(op, item, target: target)
    }
    switch prim {
    case .concatStrings:
      let items = graph.items[item].operands.map(\.item)
      return fromWindow(.concatStrings, item, items: items, items.count, target: target)
    case .show where arguments.count == 1 && core.type(arguments[0]) == .string:
      return value(operand(item, 0), into: target ?? allocate())
    case .append where arguments.count == 2: return append(item, id, arguments: arguments, target: target)
    default: return routine(item, id, prim: prim, arguments: arguments, target: target)
    }
  }

  private func append(_ item: Int, _ id: CoreExprID, arguments: [CoreExprID], target: Int?) -> Int {
    if core.types.isText(core.type(id)) {
      return fromWindow(.concatStrings, item, items: graph.items[item].operands.map(\.item), 2, target: target)
    }
    let isReference = references(inListOf: core.type(id)) ? 1 : 0
    let right = operand(item, 1)
    if graph.items[right].uses == 1, case .expr(let list) = graph.items[right].key,
      case .list(let elements, let spreads) = core[list], elements.count == 1, !spreads[0]
    {
      return binary(.appendElement, operand(item, 0), right: operand(right, 0), target: target, d: isReference)
    }
    return binary(.appendList, operand(item, 0), right: right, target: target, d: isReference)
  }

  private func arithmetic(_ item: Int, _ op: Op, target: Int?) -> Int {
    let left = operand(item, 0)
    let right = operand(item, 1)
    if let wide = op.withNumber, let c = constantOperand(right), !isZero(right, op) {
      return unaryWith(wide, left, c, target)
    }
    if let wide = op.withNumberFirst, let c = constantOperand(left) {
      return unaryWith(wide, right, c, target)
    }
    return binary(op, left, right: right, target: target)
  }

  private func unaryWith(_ op: Op, _ item: Int, _ c: Int, _ target: Int?) -> Int {
    let mark = mark()
    let source = value(item)
    release(mark)
    let result = target ?? allocate()
    add(op, result, source, c)
    return result
  }

  /// A constant Float divisor of zero stays an instruction that looks.
  private func isZero(_ item: Int, _ op: Op) -> Bool {
    guard op == .divideFloat, case .expr(let id) = graph.items[item].key, case .float(let value) = core[id] else {
      return false
    }
    return value == 0
  }

  /// The `c` field of an instruction with a constant: a small Int, or the place of a Float.
  func constantOperand(_ item: Int) -> Int? {
    guard case .expr(let id) = graph.items[item].key else { return nil }
    switch core[id] {
    case .int(let value): return Int32(exactly: value).map { Int($0) }
    case .float(let value): return store.constant(value.bitPattern)
    default: return nil
    }
  }

  private func compare(
    _ item: Int, _ id: CoreExprID, prim: Prim, comparison: Comparison, arguments: [CoreExprID], target: Int?
  ) -> Int {
    if let test = simpleTest(item) {
      let mark = mark()
      let b = value(test.left)
      let c = test.right.map { value($0) } ?? test.constant
      release(mark)
      let result = target ?? allocate()
      add(test.op, result, b, c)
      return result
    }
    let type = core.type(arguments[0])
    guard type.index <= Int(UInt16.max) else {
      return routine(item, id, prim: prim, arguments: arguments, target: target)
    }
    if let op = comparison.structural {
      return binary(op, operand(item, 0), right: operand(item, 1), target: target, d: type.index)
    }
    guard let op = comparison.mirrored.structural else {
      return routine(item, id, prim: prim, arguments: arguments, target: target)
    }
    return binary(op, operand(item, 1), right: operand(item, 0), target: target, d: type.index)
  }
}
