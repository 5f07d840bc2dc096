// Data as the model knows it, and the one structural order of all data (section 3 of the language).
//
// Rules: types decide nothing here but how a value is written; a value carries what it is.

import FRPCore

/// A value of the language.
package enum ModelValue: Sendable {
  case unit
  case bool(Bool)
  case int(Int)
  case float(Double)
  case string(String)
  case list([ModelValue])
  /// In the order of keys.
  case map([ModelEntry])
  /// A tuple or record (tag 0, fields in order of memory), or a variant.
  case data(Int, [ModelValue])
  case function(ModelFunction)
  case task(ModelTask)

  static let none = ModelValue.data(0, [])
  static func some(_ value: ModelValue) -> ModelValue { .data(1, [value]) }
  static func option(_ value: ModelValue?) -> ModelValue { value.map(some) ?? none }
  static func ok(_ value: ModelValue) -> ModelValue { .data(0, [value]) }
  static func err(_ value: ModelValue) -> ModelValue { .data(1, [value]) }
  static func pair(_ a: ModelValue, _ b: ModelValue) -> ModelValue { .data(0, [a, b]) }
}

package struct ModelEntry: Sendable {
  package var key: ModelValue
  package var value: ModelValue
}

/// A function value: its code, the locals and the moment it captured.
package final class ModelFunction: @unchecked Sendable {
  let lambda: CoreLambda
  let environment: Environment
  init(_ lambda: CoreLambda, _ environment: Environment) {
    self.lambda = lambda
    self.environment = environment
  }
}

/// What is to be done, when it is performed (section 7 of the language).
package indirect enum ModelTask: Sendable {
  case succeed(ModelValue)
  case fail(String)
  case after(Double, ModelValue)
  case all([ModelTask])
  case race([ModelTask])
  case map(ModelTask, ModelFunction)
  case andThen(ModelTask, ModelFunction)
  case recover(ModelTask, ModelFunction)
  case retry(ModelTask, Int)
  case retryWith(ModelTask, ModelFunction)
  case timeout(ModelTask, Double)
  /// An event of an instance of its scope, and what must hold of the occurrence.
  case awaited(NodeID, instance: Int, ModelFunction?)
  /// Sources: values, each so many seconds after the one before, and whether it ends behind the last.
  case lane([(Double, ModelValue)], ends: Bool)
  case sourceMap(ModelTask, ModelFunction)
  case sourceFilterMap(ModelTask, ModelFunction)
  case reconnect(ModelTask, ModelFunction)
}

/// Something a program may not do; it undoes its instant.
package struct ModelFault: Error, Sendable {
  package var message: String
  /// The definition whose node was at work.
  package var definition = ""
  package init(_ message: String) { self.message = message }

  /// The fault that was thrown; the model throws nothing else.
  init(_ error: any Error) { self = error as? ModelFault ?? ModelFault("\(error)") }
}

extension ModelValue {
  /// Below, equal or above zero: the one order of all data. Variants by declaration, maps as lists of pairs, strings by
  /// their scalars. Functions and tasks have no order and count as equal.
  static func order(_ a: ModelValue, _ b: ModelValue) -> Int {
    switch (a, b) {
    case (.bool(let x), .bool(let y)): return x == y ? 0 : (x ? 1 : -1)
    case (.int(let x), .int(let y)): return x == y ? 0 : (x < y ? -1 : 1)
    case (.float(let x), .float(let y)): return x == y ? 0 : (x < y ? -1 : 1)
    case (.string(let x), .string(let y)):
      if x.unicodeScalars.elementsEqual(y.unicodeScalars) { return 0 }
      return x.unicodeScalars.lexicographicallyPrecedes(y.unicodeScalars) ? -1 : 1
    case (.list(let x), .list(let y)): return order(x, y)
    case (.map(let x), .map(let y)): return order(x.flatMap { [$0.key, $0.value] }, y.flatMap { [$0.key, $0.value] })
    case (.data(let s, let x), .data(let t, let y)): return s == t ? order(x, y) : (s < t ? -1 : 1)
    default: return 0
    }
  }

  private static func order(_ a: [ModelValue], _ b: [ModelValue]) -> Int {
    for (x, y) in zip(a, b) {
      let result = order(x, y)
      if result != 0 { return result }
    }
    return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
  }

  static func equal(_ a: ModelValue, _ b: ModelValue) -> Bool { order(a, b) == 0 }

  /// A map of pairs; the last of one key counts.
  static func map(of entries: [ModelEntry]) -> ModelValue {
    var result: [ModelEntry] = []
    for entry in entries { insert(entry, into: &result) }
    return .map(result)
  }

  /// A set: a map to `()`.
  static func set(of elements: [ModelValue]) -> ModelValue {
    .map(of: elements.map { ModelEntry(key: $0, value: .unit) })
  }

  static func insert(_ entry: ModelEntry, into entries: inout [ModelEntry]) {
    let place = entries.firstIndex { order($0.key, entry.key) >= 0 } ?? entries.count
    if place < entries.count, equal(entries[place].key, entry.key) {
      entries[place] = entry
    } else {
      entries.insert(entry, at: place)
    }
  }
}
