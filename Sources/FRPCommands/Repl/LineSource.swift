// Where a prompt's entries come from, and where its answers go: libedit on a terminal, plain lines from a pipe, or a
// script in tests. Nothing else of the prompt knows which.

/// What a reader of entries got.
enum EntryRead: Equatable {
  case text(String)
  /// ^C: the entry was dropped.
  case interrupted
  /// ^X ^E: what was typed goes to an editor, and comes back into the entry.
  case edit(String)
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
  /// Lets the program go on; answers after how many milliseconds to call again at the latest, or nil if ^C was pressed
  /// meanwhile and there was nothing that had to be stopped.
  func goOn() -> Int32?
  func isComplete(_ text: String) -> Bool
  func complete(_ text: String, cursor: Int) -> CompletionAnswer
  /// The text in colours; brackets are matched at the cursor.
  func paint(_ text: String, cursor: Int?) -> String?
  /// How an earlier entry went on from here.
  func suggestion(_ text: String) -> String?
  /// The text with another number at the cursor: larger (1), smaller (-1), or what it was before (0).
  func adjust(_ text: String, cursor: Int, by direction: Int) -> (text: String, cursor: Int)?
}

protocol LineSource: AnyObject {
  var isInteractive: Bool { get }
  /// Waits for an entry; the listener is asked meanwhile.
  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead
  /// Shows lines; while an entry is being typed they go above it.
  func show(_ text: String)
  /// Puts a line in place of the last one shown, if it is still there; shows it otherwise.
  func replaceLast(_ text: String)
  /// What is shown last stays: the next `replaceLast` shows a line of its own.
  func keepLast()
  func remember(_ entry: String)
  func prefill(_ text: String)
  /// How many rows can be pinned at the top; 0 where nothing can.
  var paneRoom: Int { get }
  /// Between entries: pins so many rows.
  func pin(rows: Int)
  func drawPane(_ rows: [String])
  func clear()
  /// Between entries: another program has the terminal, until it is taken back.
  func lend(_ lends: Bool)
  /// Between entries: the whole screen is somebody's, until it is given back.
  func fillScreen(_ fills: Bool)
  /// Then: draws lines over all of it.
  func drawScreen(_ text: String)
  /// What was typed; waits so many milliseconds at most.
  func bytes(within milliseconds: Int32) -> [UInt8]
  /// How many seconds the process stood still since this was last asked.
  func takeSuspended() -> Double
  func close()
}

/// Says nothing and reads nothing: for sessions that nobody sees.
final class SilentSource: LineSource {
  let isInteractive = false
  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead { .end }
  func show(_ text: String) {}
  func replaceLast(_ text: String) {}
  func remember(_ entry: String) {}
  func prefill(_ text: String) {}
  func close() {}
}

extension LineSource {
  func keepLast() {}
  var paneRoom: Int { 0 }
  func pin(rows: Int) {}
  func drawPane(_ rows: [String]) {}
  func clear() {}
  func lend(_ lends: Bool) {}
  func fillScreen(_ fills: Bool) {}
  func drawScreen(_ text: String) {}
  func bytes(within milliseconds: Int32) -> [UInt8] { [] }
  func takeSuspended() -> Double { 0 }
}
