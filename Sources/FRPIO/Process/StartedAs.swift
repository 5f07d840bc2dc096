import CLinux

/// What the process was started as. Swift's `CommandLine` reads it from /proc, which is not everywhere.
public enum StartedAs {
  /// The name it was started under, and the words behind that.
  public static let arguments: [String] = {
    var words: [String] = []
    while let word = clinux_argument(words.count) { words.append(String(cString: word)) }
    return words
  }()

  /// The first word that is not UTF-8, with marks in the place of what is not.
  public static var unreadable: String? {
    var index = 0
    while let word = clinux_argument(index) {
      if String(validatingCString: word) == nil { return String(cString: word) }
      index += 1
    }
    return nil
  }
}
