// What evaluation and the passes can find wrong, as facts (codes E04xx, time and lifting, and E06xx, reactive structure) and
// what they warn of. The words are in FRPSema (`ModeProblemText`), which knows the program's text.

import FRPBase
import FRPCore

package struct ModeProblem {
  package enum Kind {
    // Found by evaluation.

    /// What varies, one behavior that it reads, in which definition.
    case mustBePlain(what: String, CoreExprID, varying: NodeID?, in: String)
    case memoryPointwise(operatorName: String, Pointwise)
    /// Where in the value that is needed it is, from the outside.
    case eventAsData(NodeID, inside: [ValueStep])
    case eventsChosenByBehavior(varying: NodeID?, in: String)
    case endlessUnrolling(String)
    case functionCannotBeLifted(String)
    case recursiveStructure(String)

    // Found by passes.

    /// What is watched, by which operator, in which definition, and what would make it a step.
    case changesOfContinuous(NodeID, by: String, in: String, HiddenComparison?)
    case whenOfUnlocated(NodeID, in: String, HiddenComparison?)
    /// What it reads, and the function that has no derivative, where that is one.
    case cannotDifferentiate(NodeID?, Prim?)
    case cycle([NodeID])
  }
  package var kind: Kind
  package var span: Span
  /// The call that put the place into the program, if it stands in a function.
  package var call: (name: String, span: Span)?
}

/// From a value to one of its parts.
package enum ValueStep {
  case field(String)
  /// In a tuple, a list, or what a variant holds.
  case place(Int)
}

/// A name that is bound point by point.
package enum Pointwise {
  case local(LocalID)
  case matched(CoreExprID)
}

/// Where a comparison stands that would make a step, if it could be followed.
package enum HiddenComparison {
  /// In a function that is called: it calls itself, as often as its arguments decide.
  case calls(String)
  /// In a lambda over a list that is not known before the run.
  case list(Span)
  /// Of the members of a list that varies between instants.
  case moving(Span)
  /// Of what varies between instants and is no Float: it jumps, nothing crosses.
  case jumping(CoreExprID)
  /// None: a step is taken out of what also moves, the members that a node makes or what it delays.
  case taken(NodeID)
}

/// Why a located comparison cannot be bounded over a stretch of time.
package enum Unbounded {
  /// A function that calls itself.
  case calls(String)
  /// A function of data, or of the host.
  case data(Span)
  /// The list of an `each` that varies between instants.
  case members(Span)
  /// More parts than are looked at, or nested deeper.
  case large
  /// `derivative` of what may slide.
  case slope(Span)
  /// When a slide along the limit is left: this has no rule by which its slope is bounded, or, where there is none, rates
  /// read other limits, too.
  case leaving(Span?)
}
