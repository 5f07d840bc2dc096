// A host whose functions the model and the engine both know, so that programs which call one are compared like others.
//
// In:  `Host.double(n)` in a program. Out: the same function twice: over the model's values, and over the engine's words.

import FRPCore
import FRPGraph
import FRPModel
import FRPRuntime
import FRPSema

package enum HostExamples {
  /// As programs see them; function n is the n-th.
  static let text = ModuleLoader.HostText(
    name: "Host",
    text: """
      double(n: Int): Int = hostCall(0, n)
      positive(n: Int): Int = hostCall(1, n)
      mixed(a: Int, b: Int): Int = hostCall(2, (a, b))
      half(x: Float): Float = hostCall(3, x)
      seven: Int = hostCall(4, ())

      """)

  private static func double(_ n: Int) -> Int { n &* 2 }
  private static func mixed(_ a: Int, _ b: Int) -> Int { a &* 31 &+ b }
  /// What it throws is a fault.
  private static let refusal = "`Host.positive` failed: this is below 1"

  /// For the model.
  static func call(_ number: Int, _ argument: ModelValue) throws -> ModelValue {
    switch (number, argument) {
    case (0, .int(let n)): return .int(double(n))
    case (1, .int(let n)):
      if n < 1 { throw ModelFault(refusal) }
      return .int(n)
    case (2, .data(_, let fields)):
      guard fields.count == 2, case .int(let a) = fields[0], case .int(let b) = fields[1] else { break }
      return .int(mixed(a, b))
    case (3, .float(let x)): return .float(x / 2)
    case (4, _): return .int(7)
    default: break
    }
    throw ModelFault("the host has no function \(number) of this")
  }

  /// For the engine.
  static func call(_ number: Int, _ argument: Word) throws(Fault) -> Word {
    switch number {
    case 0: return Word(int: double(argument.int))
    case 1:
      if argument.int < 1 { throw Fault(.hostFailed(1), refusal) }
      return argument
    case 2: return Word(int: mixed(argument.field(0).int, argument.field(1).int))
    case 3: return Word(float: argument.float / 2)
    case 4: return Word(int: 7)
    default: throw Fault(.hostFailed(-1), "the host has no function \(number)")
    }
  }
}
