// What the solver follows: integrals and pushed comparisons, each of one frame.

import FRPCore
import FRPGraph

/// Which entry of which frame a row belongs to; `frame` is the address of the frame's record.
struct RowOwner: Hashable {
  var frame: UInt
  var entry: Int32
}

/// An integral.
struct IntegralRow {
  var owner: RowOwner
  var node: NodeID
  var scope: ScopeID
  /// Its frame's arrays.
  var new: Address
  var old: Address
  var slot: Int
  var rate: CodeID
  var rateExpr: CoreExprID
  /// Its rate has faulted: it keeps its value until the next instant.
  var isFrozen = false
  /// Its fault has been reported, and it has not moved since.
  var isReported = false
  /// What it was, if a delayed behavior asks.
  var history: IntegralHistory?
}

/// A comparison whose switching times are located.
struct GuardRow {
  var owner: RowOwner
  var node: NodeID
  var scope: ScopeID
  var new: Address
  var slot: Int
  var left: CodeID
  var right: CodeID
  var leftExpr: CoreExprID
  var rightExpr: CoreExprID
  /// `>` or `>=`: it holds where left - right is above zero; else where right - left is.
  var isGreater: Bool
  var holdsAtZero: Bool
  /// Its scope started in the newest instant.
  var isNew = true
  /// Whether it holds, from the newest moment looked at on.
  var holds = false
  /// When it was last located at its limit: there it stays for all instants of that time, unless what it compares
  /// jumps.
  var limitTime = -Double.infinity
  /// Its value as a polynomial in the seconds since the group's origin, where it is one, and when that next switches.
  var polynomial: Polynomial?
  /// The size of what it compares, at the origin.
  var size = 0.0
  var nextSwitch = Double.infinity
  /// When it last became true; to tell standing still from moving on.
  var lastRise = -Double.infinity
  /// The first fault of a sample since the last restart, and its moment.
  var fault: Fault?
  var faultTime = Double.infinity
  var isReported = false
}

/// The slots of `time` in all live frames, `new` arrays.
final class ClockTable {
  var slots: [Address] = []
  /// The moment for which values are being computed.
  var time = 0.0
}

/// What a group needs of the world around it.
protocol ContinuousHost: AnyObject {
  var machine: Machine { get }
  var core: CoreProgram { get }
  var layout: Layout { get }
  var clock: ClockTable { get }
  /// The clock.
  var present: Double { get }
  /// Whether steps are made to see what may come, while something else may still come before it.
  var isForeseeing: Bool { get }
  /// Steps of the machine that one evaluation may take.
  var stepBudget: Int { get }
  /// Whether an expression reads no continuous behavior: it can only change at instants.
  func isStep(_ expr: CoreExprID) -> Bool
  /// Between two steps: slots hold values of another moment than the present, and garbage may be collected.
  func pause()
  /// One of the group's integrals stands still until the next instant.
  func didFreeze(_ group: ContinuousGroup)
  /// A rate or a comparison faulted at a clock time.
  func report(_ fault: Fault, node: NodeID, at seconds: Double)
}
