import CLinux

/// What the process was started as. Swift's `CommandLine` reads it from /proc, which is not everywhere.
public enum StartedAs {
  /// The name it was started under, and the words behind that.
  public static let arguments: [String] = {
    var words: [String] = []
    while let word = clinux_argument(words.count) { words.append(String(cString: word)) }
    return words
  }()
}
