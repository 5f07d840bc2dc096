// The codes of diagnostics. They are stable: scripts, editors and people's notes name them.

/// What kind of thing is said. `frp explain CODE` has the page of each.
public enum DiagnosticCode: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  // Syntax.
  case unbalancedBracket = "E0101"
  case unterminatedText = "E0102"
  case confusedEquals = "E0103"
  case missingElse = "E0104"
  case reservedWord = "E0105"
  case foreignHabit = "E0106"
  case missingOperand = "E0107"
  case lookAlikeCharacter = "E0108"
  case malformedNumber = "E0109"
  case deepNesting = "E0110"
  case strayCharacter = "E0111"
  case unexpectedToken = "E0112"
  case malformedText = "E0113"
  case chainedComparison = "E0114"
  case misplacedLine = "E0115"
  case malformedRecord = "E0116"
  case largeFile = "E0117"
  // Names.
  case unknownName = "E0201"
  case moduleNotImported = "E0202"
  case duplicateName = "E0203"
  case nameOutOfScope = "E0204"
  case unknownType = "E0205"
  case circularAlias = "E0206"
  case inputWithoutKind = "E0207"
  case reservedPortName = "E0208"
  // Types.
  case typeMismatch = "E0301"
  case missingArguments = "E0302"
  case surplusArguments = "E0303"
  case branchMismatch = "E0304"
  case elementMismatch = "E0305"
  case annotationMismatch = "E0306"
  case infiniteType = "E0307"
  case ambiguousType = "E0308"
  case mixedNumbers = "E0309"
  case addedTexts = "E0310"
  case notComparable = "E0311"
  case notPortable = "E0312"
  case largeType = "E0313"
  case deepExpression = "E0314"
  // Time and lifting.
  case behaviorAsEvent = "E0401"
  case varyingConstant = "E0402"
  case eventAsValue = "E0403"
  case choiceOfEvents = "E0404"
  case varyingCallOfEvents = "E0405"
  case memoryInLift = "E0406"
  case unknownUnit = "E0407"
  case endlessUnfolding = "E0410"
  case tooMuchWork = "E0411"
  // Data and patterns.
  case unknownField = "E0501"
  case wrongFields = "E0502"
  case fieldMismatch = "E0503"
  case incompleteMatch = "E0504"
  case wrongPattern = "E0506"
  case refutablePattern = "E0507"
  case unequalAlternatives = "E0508"
  case complexMatch = "E0509"
  // Reactive structure.
  case circularDefinition = "E0601"
  case circularEvents = "E0602"
  case circularStructure = "E0603"
  case continuousChanges = "E0604"
  case unlocatedCondition = "E0606"
  case notDifferentiable = "E0607"
  case unordered = "E0608"
  // Modules.
  case circularImport = "E0701"
  case moduleNotFound = "E0702"
  case unknownMember = "E0703"
  // Run time.
  case undefinedValue = "R0101"
  case endlessInstant = "R0102"
  case hostFailure = "R0103"
  case limitReached = "R0104"
  case otherFault = "R0105"
  case unfitLine = "R0201"
  // Warnings.
  case directionControl = "W0101"
  case doubtfulComment = "W0102"
  case doubtfulText = "W0113"
  case unusedDefinition = "W0201"
  case hiddenName = "W0202"
  case unreadAnswer = "W0308"
  case sampledComparison = "W0406"
  case missingUnit = "W0407"
  case readOnce = "W0408"
  case unsetInput = "W0409"
  case unreachableArm = "W0505"
  case faultyLiteral = "W0506"

  /// As people see it: `E0301`.
  public var description: String { rawValue }

  /// Said by the parser.
  public var isOfSyntax: Bool { rawValue.hasPrefix("E01") }
  /// Said of a running program.
  public var isOfARun: Bool { rawValue.hasPrefix("R") || self == .unsetInput }

  var severity: Severity { rawValue.hasPrefix("W") ? .warning : .error }
}
