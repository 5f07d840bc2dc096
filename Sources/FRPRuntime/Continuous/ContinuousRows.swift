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
  /// Its rate has faulted: it keeps its value until an instant touches what it reads.
  var isFrozen = false
  /// Its fault has been reported, and it has not moved since.
  var isReported = false
  /// It stands still since nothing can be decided of what steers it.
  var isStuck = false
  /// Its rate reads a limit that slides.
  var isSteered = false
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
  /// Some rate reads it; see Sliding.swift for this and what follows.
  var isSteering = false
  /// The reset of an integral depends on it.
  var isResetting = false
  /// What it compares, once somebody has asked.
  var limit: TurnedKey?
  /// It stands at its limit and stays there.
  var isSliding = false
  /// Nothing can be decided of it: it stays as it is until an instant touches what it or what it steers reads.
  var isStuck = false
  /// What it compares has jumped since the last restart.
  var hasJumped = false
  /// When it last left a slide, and whether it holds since.
  var leftTime = -Double.infinity
  var leftAbove = false
  /// What it is from the newest restart on, where that was decided together with others.
  var forced: Bool?
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

/// An instance of a scope, as far as it is read: its `new` array and its key.
struct Instance {
  var base: Address
  var key: Word
  var scope: ScopeID
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
  /// How the rates of a group depend on comparisons.
  func steering(of group: ContinuousGroup) -> Steering
  /// The integrals that a comparison compares, as they are now.
  func integrals(comparedBy row: GuardRow) -> Set<RowOwner>
  /// What a comparison compares.
  func limit(of row: GuardRow) -> TurnedKey?
  /// Whether a comparison steers a rate anywhere.
  var hasSteering: Bool { get }
  /// The instances of a scope that count, or that counted just after a moment, and until when. Of frames only the `new`
  /// array is named here, that of the scope's owner.
  func instances(of node: NodeID, _ base: Address, at moment: Double?) -> (instances: [Instance], until: Double)?
  /// A step as it was just after a moment, and until when; nil where nobody asks for its past.
  func step(_ slot: Address, at moment: Double) -> (word: Word, until: Double)?
  /// How often steps and instances that somebody delays have changed.
  var pastChanges: Int { get }
  /// What an integral was.
  func history(of node: NodeID, _ base: Address) -> IntegralHistory?
  /// A delayed behavior.
  func delay(_ node: NodeID, _ base: Address) -> DelayRow?
  /// Computes a step between a comparison and a rate again.
  func recompute(_ step: RowOwner)
  /// Whether somebody wants an end to the call that moves the clock: what is followed is left where it is.
  var isBrokenOff: Bool { get }
  /// Between two steps: slots hold values of another moment than the present, and garbage may be collected.
  func pause()
  /// Nothing can be decided of these comparisons of the group.
  func didStick(_ group: ContinuousGroup, _ guards: [Int], at seconds: Double)
  /// One of the group's integrals stands still until an instant touches what it reads.
  func didFreeze(_ group: ContinuousGroup)
  /// Follows what reads a group, be it through others, as far as the group; false where the call is to end.
  func bring(readersOf group: ContinuousGroup, to t: Double) -> Bool
  /// What reads a group starts anew at the group's origin, no instant having happened.
  func renew(readersOf group: ContinuousGroup)
  /// From when on groups may still ask for what they read, or the clock may come to stop.
  func needed(by readers: [Int]) -> Double
  /// A rate or a comparison faulted at a clock time.
  func report(_ fault: Fault, node: NodeID, at seconds: Double)
}
