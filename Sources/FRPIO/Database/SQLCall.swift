// The name of a call that may begin again in another process: what was done under it is not done again.

/// Which call of which run.
public struct SQLCall: Sendable {
  /// A name that no other run has.
  public var run: String
  public var number: Int
  /// Calls of the run up to this number never begin again: their names can be forgotten.
  public var settled: Int

  public init(run: String, number: Int, settled: Int) {
    (self.run, self.number, self.settled) = (run, number, settled)
  }
}
