// What a plan may do to be fast. Each changes no meaning, and can be switched off: the tests run every program with each
// of them alone, with all, and with none.

/// Optimisations of a plan and of the reactor that runs it. `Sources/decisions/0012-what-each-optimisation-bought.md` says what each bought.
public struct Optimisations: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Chains of cheap definitions become one code (`CodeFusion`).
  public static let fusedLifts = Optimisations(rawValue: 1 << 0)
  /// Chains of `map`, `filter` and `filterMap` run as part of the operator that takes what they let through.
  public static let fusedEvents = Optimisations(rawValue: 1 << 1)
  /// A sum of many neighbouring behaviors is kept up to date by what has changed.
  public static let changedSums = Optimisations(rawValue: 1 << 2)
  /// Short codes that only compute with numbers run in a loop of their own.
  public static let quickCodes = Optimisations(rawValue: 1 << 3)
  /// An instance of `keyed` in which an occurrence makes one entry run, which has a quick code, runs without marks.
  public static let directGroups = Optimisations(rawValue: 1 << 4)
  /// An input that makes one entry run, which has a quick code and which only an output shows, does so without marks.
  public static let directInputs = Optimisations(rawValue: 1 << 5)
  /// A function of time is sampled for many moments at once, where nothing can happen between them.
  public static let sampledBlocks = Optimisations(rawValue: 1 << 6)

  /// What the library makes of a list that slides (`window`) is brought up to date by what has come and gone.
  public static let slidingLists = Optimisations(rawValue: 1 << 7)

  /// Many occurrences of a direct input that are sent at once run one after the other in one loop.
  public static let blocks = Optimisations(rawValue: 1 << 8)

  /// All that an input makes run, where every entry of it has a quick code, runs straight through, without marks.
  public static let regions = Optimisations(rawValue: 1 << 9)

  /// Regions that run often become machine code, where the processor and the system allow it.
  public static let native = Optimisations(rawValue: 1 << 10)

  public static let all: Optimisations = [
    .fusedLifts, .fusedEvents, .changedSums, .quickCodes, .directGroups, .directInputs, .sampledBlocks, .slidingLists,
    .blocks, .regions, .native,
  ]
  public static let none: Optimisations = []

  /// By name, for tests and for tools.
  public static let named: [(name: String, Optimisations)] = [
    ("fusedLifts", .fusedLifts), ("fusedEvents", .fusedEvents), ("changedSums", .changedSums),
    ("quickCodes", .quickCodes), ("directGroups", .directGroups), ("directInputs", .directInputs),
    ("sampledBlocks", .sampledBlocks), ("slidingLists", .slidingLists), ("blocks", .blocks), ("regions", .regions),
    ("native", .native),
  ]
}
