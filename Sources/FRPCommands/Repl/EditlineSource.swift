// Entries typed at a terminal, through libedit (see CEditline). The editor's hooks come back here with an opaque
// pointer to this object.

import CEditline
import Glibc

final class EditlineSource: LineSource {
  let isInteractive = true
  private weak var listener: (any EntryListener)?
  private var isReading = false
  /// Whether the row above what is being typed is the live one.
  private var hasLiveRow = false

  /// Opens the terminal; nil where libedit cannot.
  init?(colours: Bool) {
    let hooks = ce_hooks(
      context: Unmanaged.passUnretained(self).toOpaque(),
      idle: { EditlineSource.from($0).listener.map { $0.goOn() ?? Int32(CE_INTERRUPT_KEY) } ?? 1000 },
      is_complete: { context, text in
        EditlineSource.from(context).listener?.isComplete(String(cString: text)) ?? true ? 1 : 0
      },
      complete: { context, text, cursor in
        let answer =
          EditlineSource.from(context).listener?.complete(String(cString: text), cursor: Int(cursor)) ?? .nothing
        return ce_completion(
          replaced: Int32(answer.replaced), insertion: answer.insertion.flatMap { strdup($0) },
          listing: answer.listing.flatMap { strdup($0) })
      },
      paint: { context, text in
        EditlineSource.from(context).listener?.paint(String(cString: text)).flatMap { strdup($0) }
      })
    if ce_open("frp", hooks, colours ? 1 : 0) == 0 { return nil }
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> EditlineSource {
    guard let context else { preconditionFailure("hooks are given this object") }
    return Unmanaged<EditlineSource>.fromOpaque(context).takeUnretainedValue()
  }

  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead {
    self.listener = listener
    isReading = true
    defer {
      isReading = false
      hasLiveRow = false
    }
    var text: UnsafePointer<CChar>?
    switch ce_read(prompt, &text) {
    case CE_ENTRY: return .text(text.map { String(cString: $0) } ?? "")
    case CE_INTERRUPTED: return .interrupted
    case CE_EDIT: return .edit(text.map { String(cString: $0) } ?? "")
    default: return .end
    }
  }

  func show(_ text: String) {
    hasLiveRow = false
    if isReading {
      ce_print_above(text + "\n")
    } else {
      Swift.print(text)
      fflush(nil)
    }
  }

  func replaceLast(_ text: String) {
    guard isReading else { return }
    if hasLiveRow { ce_replace_row_above(text) } else { ce_print_above(text + "\n") }
    hasLiveRow = true
  }

  func remember(_ entry: String) { ce_remember(entry) }
  func prefill(_ text: String) { ce_prefill(text) }
  var paneRoom: Int { Int(ce_pane_room()) }
  func pin(rows: Int) { ce_pane_resize(Int32(rows)) }
  func drawPane(_ rows: [String]) { ce_pane_draw(rows.joined(separator: "\n")) }
  func clear() { ce_clear() }
  func takeSuspended() -> Double { ce_take_suspended() }
  func close() { ce_close() }
}
