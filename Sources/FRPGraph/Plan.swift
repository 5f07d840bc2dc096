// What the reactor runs: for every scope a template of flat entries in the order in which an instant visits them.
//
// In:  a CoreProgram without cycles.
// Out: a `Plan`. One node becomes one entry, or two where what it shows and what it takes in lie at different places of
//      the order: a *source* (early: what a delay, a task or a condition has waiting) and a *feed* (what it takes in).
//
// Rules
// - An entry comes after everything it depends on *in the instant*: events it is fed by, behaviors it reads as they
//   are just after the instant. What is read as it was just before is no dependency.
// - What an inner scope depends on of outer scopes is a *capture*; its owner depends on it.
// - The entries of an inner scope come in two parts: first those its results need (*early*), then the others (*late*).
//   The owner's entry runs the first part, the owner's `ownerLate` entry the second. So a loop through the past (a hold
//   in a scope that counts what the scope itself sends out) is no cycle.

import FRPBase
import FRPCore

/// A node as an entry of some template sees it.
public struct Operand: Sendable, Hashable {
  /// How many scopes out.
  public var up: Int32
  /// Its entry there; -1 for a continuous lift on which nothing pushed depends.
  public var entry: Int32
  /// Its word there; -1 for events.
  public var slot: Int32

  public init(up: Int32, entry: Int32, slot: Int32) {
    self.up = up
    self.entry = entry
    self.slot = slot
  }

  public static let none = Operand(up: 0, entry: -1, slot: -1)
}

/// How values of a type are compared.
public enum ValueEquality: UInt8, Sendable {
  /// The same word is the same value, and no other is.
  case word
  case float
  case structure
}

/// One step of a template. Trivial, so that the reactor can keep it behind a pointer.
public struct Entry: Sendable {
  public var kind: EntryKind
  /// Whether it is pulled (its slot has two words).
  public var isContinuous = false
  /// Whether an output shows it, or it is watched.
  public var isOutput = false
  /// Whether the owner of its scope reads it.
  public var isResult = false
  /// The node it belongs to.
  public var node: NodeID
  /// Its word in frames; -1 for events.
  public var slot: Int32 = -1
  /// Its first private word in the frame's state.
  public var state: Int32 = -1
  /// The event or behavior it is fed by. Of a `sum`: its first term; `count` says how many there are.
  public var first = Operand.none
  /// `stop`, `ticks`, `reset`, the second of `zip`.
  public var second = Operand.none
  /// The code of its expression or lambda; -1 for none. Of an `each`, `keyed`, `groupBy`: of its key.
  public var code: Int32 = -1
  /// The code of its start value, its count or its duration; `first` of a switch; the list of an `each`; the right
  /// side of a crossing.
  public var plain: Int32 = -1
  /// The payload's type, of events; the value's, of behaviors.
  public var type: TypeID
  /// The type of what it is fed with, where that may differ.
  public var inputType: TypeID
  /// Of a `perform`: whether its tasks are sources; and which of the plan's bindings it is, or -1.
  public var performsSources = false
  public var binding: Int32 = -1
  /// The type of the keys of `keyed`, `groupBy` and `each`; of what `mapAccum` remembers; of what sources bring.
  public var keyType = TypeID.unit
  /// Whether the key of an `each` reads behaviors.
  public var keyVaries = false
  /// Whether the test of a `filter` depends on nothing but what its scope was given: one that fails is shut for good.
  /// Of a `sum`: whether it is written with `+`.
  public var isPlainTest = false
  /// Whether its code begins with the stages of a fused chain, and may skip. Of a `hold`: its code gives what it holds.
  public var hasStages = false
  /// Of a `scan`: whether a `map` runs at the end of its code, which then leaves the new state in its first parameter.
  public var hasTail = false
  /// Of `keyed`: the field of the occurrence that is the key; -1 where it must be computed.
  public var keyField: Int32 = -1
  /// How two of its values are told apart.
  public var equality = ValueEquality.structure
  /// Source and feed, owner and `ownerLate` name one another here; -1 for none.
  public var partner: Int32 = -1
  /// The template of its scopes; of `choose`: the place of its first alternative in `Plan.alternatives`.
  public var child: Int32 = -1
  /// The port of an input; the index of a `chosen`; how many alternatives or merged events there are.
  public var count: Int32 = 0
  /// The place of the first operand of a `merge` in `Plan.operands`.
  public var operands: Int32 = -1
  /// Where its dependents begin and end in the template's `dependents`.
  public var dependentsStart: Int32 = 0
  public var dependentsEnd: Int32 = 0
}

/// Entries of a template that depend on something outside.
public struct ScopeCapture: Sendable {
  /// As seen from the template's own frames: `up` is at least 1.
  public var source: Operand
  public var dependents: [Int32]
}

/// All instances of one scope look like this.
public struct Template: Sendable {
  public var scope: ScopeID
  /// The template of the enclosing scope; -1 for the program.
  public var parent: Int32
  public var depth: Int32
  /// The entry that owns the instances, in the parent; -1 for the program.
  public var owner: Int32 = -1
  public var parameters: [LocalID]
  /// Words in one of the two arrays of a frame.
  public var frameWords: Int32
  public var stateWords: Int32 = 0
  /// In the order in which an instant visits them.
  public var entries: [Entry] = []
  /// How many nodes run as stages of its entries; limits count them as if they were entries.
  public var stageCount: Int32 = 0
  /// How many of the entries the results need.
  public var earlyCount: Int32 = 0
  public var dependents: [Int32] = []
  public var earlyCaptures: [ScopeCapture] = []
  public var lateCaptures: [ScopeCapture] = []
  public var results: [Operand] = []
  /// The words of a frame that hold references: of parameters and of step behaviors.
  public var referenceSlots: [Int32] = []
  /// The first words of the two-word slots of continuous behaviors that may hold references.
  public var pulledReferenceSlots: [Int32] = []
}

/// An expression or lambda whose code is needed, and the scope it stands in.
public enum CodeRequest: Sendable {
  case expression(CoreExprID, ScopeID)
  case lambda(CoreLambda, ScopeID)
  /// A fused chain (see EventFusion.swift): its stages, and the function of what takes it, if that has one.
  case chain([Stage], last: CoreLambda?, tail: CoreLambda?, ScopeID)
}

/// One alternative of a `choose`.
public struct PlanAlternative: Sendable {
  public var template: Int32
  /// Codes of its parameters.
  public var arguments: [Int32]
}

public struct PlanOutput: Sendable {
  public var name: String
  public var type: TypeID
  public var isEvent: Bool
  public var isContinuous: Bool
  /// Whether it is a step that is pulled, since only its last value is wanted (`Plan.deferring`).
  public var isDeferred = false
  /// Whether it is a step that is pulled, since nothing is located for its sake: it is looked at just after a moment.
  public var isStepWhenPushed = false
  /// Its entry in the program's template; -1 for a continuous lift.
  public var entry: Int32
  public var slot: Int32
  public var node: NodeID
}

public struct PlanInput: Sendable {
  public var name: String
  public var type: TypeID
  public var isEvent: Bool
  /// -1 where nothing that is shown depends on it.
  public var entry: Int32
  public var slot: Int32
}

public struct Plan: Sendable {
  public var core: CoreProgram
  /// What was done to be fast.
  public var optimisations = Optimisations.all
  public var layout: Layout
  /// By `ScopeID`.
  public var templates: [Template] = []
  public var requests: [CodeRequest] = []
  public var operands: [Operand] = []
  public var alternatives: [PlanAlternative] = []
  public var outputs: [PlanOutput] = []
  public var inputs: [PlanInput] = []
  public var bindings: [CoreBinding] = []
  /// By `NodeID`: its (main) entry in its scope's template; -1 if it does not run.
  public var entryOfNode: [Int32] = []
  /// By `NodeID`: whether an output needs it.
  public var isLive: [Bool] = []
  public var code = CodeTable()
  /// By code request.
  public var codes: [CodeID] = []
  /// By number: the functions of the host, as interfaces write them. Set by who knows the host.
  public var hostSignatures: [String] = []
}

/// What can go wrong while a plan is made.
public enum PlanProblem: Error, Sendable {
  /// The budget does not suffice; the node that was at work.
  case tooMuchWork(CheckBudget.Limit, NodeID?)
  /// These nodes depend on one another within an instant, which causality should have refused: our own mistake.
  case cycle([NodeID])
}
