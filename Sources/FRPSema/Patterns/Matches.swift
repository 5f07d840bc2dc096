import FRPBase

/// Gaps and redundant arms of all matches.
func checkMatches(_ program: inout TypedProgram) -> [Diagnostic] { [] }
