// Definitions that are asked for while they are being made. `count = clicks |> map(_ => count + 1) |> hold(0)` asks for
// `count` before there is one: a placeholder node stands for it and is tied to the value in the end. Whether the circle
// is one of an instant is judged on the finished graph (`Causality`).
//
// A placeholder hides what its definition is made of. In `(a, b) = (p, 1)`, `p = "t{b}"` nothing needs itself, but where
// the pair is asked for first, `p` looks into a pair that is not there yet. Which definition is asked for first is an
// accident of their order, so it must not decide. What a pass finds out about such a definition (it is a pair, its second
// part is 1) is foreseen by the next one, until nothing new is found. That is the least fixed point of "what is known of
// a definition, given what is known of the others", and does not depend on where one begins. A program that is accepted
// at first needs no second pass: knowing more only accepts more.

import FRPBase
import FRPCore
import FRPPasses
import FRPSyntax

/// What is known of a value before it is there.
indirect enum Outline: Equatable {
  case unknown
  /// Known once, when its scope starts.
  case plain
  case bool(Bool)
  case int(Int)
  case float(UInt64)
  /// In UTF-8: Swift's `==` would take `\u{e9}` for `e\u{301}`.
  case string([UInt8])
  /// Of a tuple or a record, in the order of its type.
  case parts([Outline])
  case list([Outline])
  case construct(tag: Int, [Outline])

  /// What is true of both.
  func common(_ other: Outline) -> Outline {
    func each(_ a: [Outline], _ b: [Outline]) -> [Outline] { zip(a, b).map { $0.common($1) } }
    switch (self, other) {
    case _ where self == other: return self
    case (.parts(let a), .parts(let b)) where a.count == b.count: return .parts(each(a, b))
    case (.list(let a), .list(let b)) where a.count == b.count: return .list(each(a, b))
    case (.construct(let x, let a), .construct(let y, let b)) where x == y && a.count == b.count:
      return .construct(tag: x, each(a, b))
    default: return isPlain && other.isPlain ? .plain : .unknown
    }
  }

  private var isPlain: Bool {
    switch self {
    case .unknown: false
    case .plain, .bool, .int, .float, .string: true
    case .parts(let all), .list(let all), .construct(_, let all): all.allSatisfy(\.isPlain)
    }
  }
}

/// What is known of the definitions that are asked for while they are being made.
struct Circles {
  /// By definition, from the pass before.
  var foreseen: [ItemID: Outline] = [:]
  /// By definition, in this pass: what is true of all its instances.
  var found: [ItemID: Outline] = [:]
  /// Whether a value turned out to be other than was foreseen; then this pass says nothing.
  var isRefuted = false
}

extension Elaborator {
  mutating func makePlaceholder(_ thunk: Thunk, _ instance: [TypeID], at span: Span) -> StaticValue {
    guard case .definition(let definition) = program.tree[thunk.item], let scheme = program.schemes[thunk.item]
    else { return .error }
    let env = Env(parent: thunk.env, generics: generics(of: thunk.item, instance, in: thunk.env))
    let type = monomorph(scheme.type, env)
    let outer = context
    defer { context = outer }
    context = thunk.context
    return placeholder(type, circles.foreseen[thunk.item] ?? .unknown, program.tree.span(definition.body))
  }

  private mutating func placeholder(
    _ type: TypeID, _ outline: Outline, isPart: Bool = false, _ span: Span
  ) -> StaticValue {
    switch (core.types[type], outline) {
    case (_, .bool(let known)): return constant(.bool(known), type, span)
    case (_, .int(let known)): return constant(.int(known), type, span)
    case (_, .float(let bits)): return constant(.float(Double(bitPattern: bits)), type, span)
    case (_, .string(let bytes)): return constant(.string(String(decoding: bytes, as: UTF8.self)), type, span)
    case (.event, _): return .event(addNode(.merge([]), type, at: span))
    case (.tuple(let elements), .parts(let outlines)):
      return .tuple(placeholders(elements, outlines, at: span), type)
    case (.record(let fields), .parts(let outlines)):
      let values = placeholders(fields.map(\.type), outlines, at: span)
      return .record(zip(fields, values).map { ($0.name, $1) }, type)
    case (.list(let element), .list(let outlines)):
      return .list(placeholders(outlines.map { _ in element }, outlines, at: span), type)
    case (.variant, .construct(let tag, let outlines)):
      guard let constructors = core.types.constructors[type], tag < constructors.count else { return .error }
      return construct(tag, placeholders(constructors[tag].fields, outlines, at: span), type: type, at: span)
    case (.tuple(let elements), _) where holdsEvents(type):
      return .tuple(elements.map { placeholder($0, .unknown, span) }, type)
    case (.record(let fields), _) where holdsEvents(type):
      return .record(fields.map { ($0.name, placeholder($0.type, .unknown, span)) }, type)
    case _ where holdsEvents(type), (.function, _) where !isPart:
      report(.recursiveStructure(context.definition), at: span)
      return .error
    default:
      let unknown = add(.placeholder(isPlain: outline == .plain), type, span)
      return .data(read(addNode(.lift(unknown), type, at: span), span))
    }
  }

  private mutating func placeholders(_ types: [TypeID], _ outlines: [Outline], at span: Span) -> [StaticValue] {
    zip(types, outlines).map { placeholder($0, $1, isPart: true, span) }
  }

  /// Lets a placeholder stand for the value that was made in the end.
  mutating func tie(_ placeholder: StaticValue, to value: StaticValue, at span: Span) {
    switch (placeholder, value) {
    case (.error, _), (_, .error): break
    case (.event(let node), .event(let target)): core.nodes[node.index].op = .merge([target])
    case (.tuple(let all, _), _): tie(all, to: parts(of: value, count: all.count, at: span), at: span)
    case (.record(let fields, _), _):
      for (name, part) in fields { tie(part, to: field(value, name, at: span), at: span) }
    case (.list(let a, _), .list(let b, _)): tie(a, to: b, at: span)
    case (.variant(let x, let a, _), .variant(let y, let b, _)) where x == y: tie(a, to: b, at: span)
    case (.data(let expr), _): tie(expr, to: value, at: span)
    default: circles.isRefuted = true
    }
  }

  private mutating func tie(_ placeholders: [StaticValue], to values: [StaticValue], at span: Span) {
    if placeholders.count != values.count { circles.isRefuted = true }
    for (placeholder, value) in zip(placeholders, values) { tie(placeholder, to: value, at: span) }
  }

  private mutating func tie(_ placeholder: CoreExprID, to value: StaticValue, at span: Span) {
    switch core[placeholder] {
    case .read(let node):
      guard let target = residual(value, at: span) else { return }
      if case .placeholder(isPlain: true) = core[known(placeholder)], facts(target).isVarying {
        circles.isRefuted = true
      }
      core.nodes[node.index].op = .lift(target)
    case .construct(let tag, let parts):
      guard case .data(let expr) = value, case .construct(tag, let made) = core[known(expr)] else {
        circles.isRefuted = true
        return
      }
      tie(parts.map { .data($0) }, to: made.map { .data($0) }, at: span)
    default: if outline(of: .data(placeholder)) != outline(of: value) { circles.isRefuted = true }
    }
  }

  mutating func noteOutline(of value: StaticValue, for item: ItemID) {
    let outline = outline(of: value)
    circles.found[item] = circles.found[item]?.common(outline) ?? outline
  }

  private func outline(of value: StaticValue) -> Outline {
    guard budget.spend() else { return .unknown }
    switch value {
    case .tuple(let all, _): return .parts(all.map { outline(of: $0) })
    case .record(let fields, _): return .parts(fields.map { outline(of: $0.value) })
    case .list(let all, _): return .list(all.map { outline(of: $0) })
    case .variant(let tag, let all, _): return .construct(tag: tag, all.map { outline(of: $0) })
    case .data(let expr): return outline(of: expr)
    case .event, .closure, .error: return .unknown
    }
  }

  private func outline(of expr: CoreExprID) -> Outline {
    switch core[expr] {
    case .bool(let known): return .bool(known)
    case .int(let known): return .int(known)
    case .float(let known): return .float(known.bitPattern)
    case .string(let known): return .string(Array(known.utf8))
    default: break
    }
    if case .variant = core.types[core.type(expr)], case .construct(let tag, let parts) = core[known(expr)] {
      return .construct(tag: tag, parts.map { outline(of: $0) })
    }
    return isPlain(expr) ? .plain : .unknown
  }
}
