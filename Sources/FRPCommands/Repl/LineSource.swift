// Where a prompt's entries come from, and where its answers go: libedit on a terminal, plain lines from a pipe, or a
// script in tests. Nothing else of the prompt knows which.

/// What a reader of entries got.
enum EntryRead: Equatable {
  case text(String)
  /// ^C: the entry was dropped.
  case interrupted
  case end
}

struct CompletionAnswer {
  /// How many characters before the cursor are replaced.
  var replaced: Int
  var insertion: String?
  var listing: String?
  static let nothing = CompletionAnswer(replaced: 0, insertion: nil, listing: nil)
}

/// What a source asks of the session while somebody types.
protocol EntryListener: AnyObject {
  /// Lets the program go on; answers after how many milliseconds to call again at the latest.
  func goOn() -> Int32
  func isComplete(_ text: String) -> Bool
  func complete(_ text: String, cursor: Int) -> CompletionAnswer
  func paint(_ text: String) -> String?
}

protocol LineSource: AnyObject {
  var isInteractive: Bool { get }
  /// Waits for an entry; the listener is asked meanwhile.
  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead
  /// Shows lines; while an entry is being typed they go above it.
  func show(_ text: String)
  /// Puts a line in place of the last one shown, if it is still there; shows it otherwise.
  func replaceLast(_ text: String)
  func remember(_ entry: String)
  func prefill(_ text: String)
  func close()
}
