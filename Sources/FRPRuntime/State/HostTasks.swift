// What a program uses of its host, named so that it can be found again in a program with another host.
//
// The number of a function, and those of types, are of one program and one host. In images a task of the host has such a
// number; beside them stands what each number means, in words.

import FRPCore
import FRPGraph

/// What identifies a host's task in the heap: a function of the program's table, and types of its plan.
public struct HostTaskKey {
  public var function: Int
  public var argument: TypeID
  public var result: TypeID

  private static let bits = 21

  public init(function: Int, argument: TypeID, result: TypeID) {
    self.function = function
    self.argument = argument
    self.result = result
  }

  public init(_ word: Int) {
    let mask = 1 << HostTaskKey.bits - 1
    function = word >> (2 * HostTaskKey.bits)
    argument = TypeID(word >> HostTaskKey.bits & mask)
    result = TypeID(word & mask)
  }

  /// Nil for a program with millions of types.
  public var word: Int? {
    let limit = 1 << HostTaskKey.bits
    if argument.index >= limit || result.index >= limit || function >= limit / 2 { return nil }
    return function << (2 * HostTaskKey.bits) | argument.index << HostTaskKey.bits | result.index
  }
}

/// What the number of a task of the host stands for in an image.
struct HostTaskName: Hashable, Sendable {
  var number: Int
  /// The function's signature and the types of this use, in words.
  var text: String
}

/// A call of a function of the host, as it is written in a program.
struct HostCallSite {
  var function: Int
  var argument: TypeID
  var result: TypeID
}

extension Plan {
  /// The calls of the host's functions. Cost: linear in the program.
  var hostCalls: [HostCallSite] {
    core.exprs.indices.compactMap { index in
      guard case .prim(.hostCall, let arguments) = core.exprs[index], arguments.count == 2,
        case .int(let function) = core[arguments[0]]
      else { return nil }
      return HostCallSite(
        function: function, argument: core.type(arguments[1]), result: core.exprTypes[index])
    }
  }

  func hostSignature(_ function: Int) -> String {
    hostSignatures.indices.contains(function) ? hostSignatures[function] : ""
  }

  /// The tasks that the program can ask its host for, each once, in order of their numbers.
  var hostTaskNames: [HostTaskName] {
    var names: [Int: String] = [:]
    for call in hostCalls {
      guard let (result, _) = given(call), let number = key(call, result).word else { continue }
      let types = [call.argument, result].map { TypeSignature(core.types, $0).text }
      names[number] = ([hostSignature(call.function)] + types).joined(separator: " | ")
    }
    return names.sorted { $0.key < $1.key }.map { HostTaskName(number: $0.key, text: $0.value) }
  }

  /// What a task gives or a source brings that a call makes; nil for a function.
  private func given(_ call: HostCallSite) -> (type: TypeID, isSource: Bool)? {
    switch core.types[call.result] {
    case .task(let result): (result, false)
    case .source(let item): (item, true)
    default: nil
    }
  }

  private func key(_ call: HostCallSite, _ result: TypeID) -> HostTaskKey {
    HostTaskKey(function: call.function, argument: call.argument, result: result)
  }

  /// The numbers of those that are sources.
  private var hostSources: Set<Int> {
    Set(
      hostCalls.compactMap { call in
        guard let (item, isSource) = given(call), isSource else { return nil }
        return key(call, item).word
      })
  }

  /// What the numbers of the host's tasks in an image stand for in this program; none for what it does not have.
  func hostTasks(of image: StateImage) -> [Int: HostTaskImage] {
    if image.hostTasks.isEmpty { return [:] }
    let own = Dictionary(hostTaskNames.map { ($0.text, HostTaskKey($0.number)) }) { first, _ in first }
    let sources = hostSources
    var tasks: [Int: HostTaskImage] = [:]
    for task in image.hostTasks {
      guard let key = own[task.text], let number = key.word else { continue }
      tasks[task.number] = HostTaskImage(
        number: number, argument: key.argument, result: key.result, isSource: sources.contains(number))
    }
    return tasks
  }
}
