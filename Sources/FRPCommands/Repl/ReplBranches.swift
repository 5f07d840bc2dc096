// Going back in time leaves a run behind. Each one that was left is kept with all that had happened in it: `:undo` goes
// back to it, `:branch NAME` gives it a name.

import FRP
import FRPBase

/// A run that was left for another time.
struct ReplMove {
  var mark: ReplMark
  /// Whether its clock stood still.
  var wasPaused: Bool
  /// How many changes of the program there had been just after the move: one more comes before it for `:undo`.
  var changes = 0
}

extension ReplSession {
  private static let movesKept = 20

  /// Changes of the program that can be undone.
  var changeCount: Int { log.count { $0.items != nil && !$0.isBeginning && !$0.isStep } }

  /// Goes to another time, and keeps the run that is left; answers how to come back.
  @discardableResult
  func leaving(_ move: () -> Void) -> String {
    let beginning = restored?.time
    let hasPushes = log.contains { $0.items == nil }
    let isEmpty = log.isEmpty
    let left = mark(at: simulation?.now ?? clock.now)
    marks["back"] = left
    let wasPaused = clock.isPaused
    planned = []
    move()
    if isEmpty { return "" }
    moves.append(ReplMove(mark: left, wasPaused: wasPaused, changes: changeCount))
    if moves.count > Self.movesKept { moves.removeFirst() }
    undone = []
    return hasPushes || restored?.time != beginning ? "; :undo goes back there" : ""
  }

  /// Goes back to the run that was left last, if no change of the program came after that; whether it did.
  func undoMove() -> Bool {
    guard let move = moves.last, move.changes == changeCount else { return false }
    moves.removeLast()
    undone.append(.move(mark(at: simulation?.now ?? clock.now)))
    go(to: move.mark)
    if !move.wasPaused { clock.pause(false) }
    show("at \(seconds(move.mark.time)) again" + standing)
    return true
  }

  /// After `:undo` of going back: goes back once more.
  func redoMove(_ mark: ReplMark) {
    moves.append(ReplMove(mark: self.mark(at: simulation?.now ?? clock.now), wasPaused: clock.isPaused))
    if !clock.isVirtual { clock.pause(true) }
    go(to: mark)
    moves[moves.count - 1].changes = changeCount
    show("back at \(seconds(mark.time))" + standing)
  }

  private var standing: String {
    clock.isVirtual ? "" : clock.isPaused ? ", paused; :resume goes on" : ", and going on"
  }

  /// Lets what had happened by a moment be what has happened.
  private func go(to mark: ReplMark) {
    planned = []
    takeBeginning(of: mark)
    log = mark.log
    goBack(to: mark.time, beginsAnew: false)
  }

  /// `:branch NAME` names the run that was left last; alone it lists those that were left.
  func branch(_ text: String) {
    guard let last = moves.last else { return fail("nothing was left: :back, :reset and :goto leave a run") }
    if text.isEmpty {
      return show(
        moves.reversed().map { "left at \(seconds($0.mark.time)), \(events($0.mark))" }.joined(separator: "\n")
          + "\n:branch NAME names the first of them, :undo goes back to it")
    }
    let name = String(text.prefix { !$0.isWhitespace })
    if name != text {
      return fail(Self.tooMuch(trimmed(String(text.dropFirst(name.count))), behind: ":branch \(name)"))
    }
    marks[name] = last.mark
    show("\(name) is the run that was left at \(seconds(last.mark.time)), \(events(last.mark))   (:goto \(name))")
  }

  private func events(_ mark: ReplMark) -> String {
    let count = mark.log.count { $0.items == nil }
    return "with \(count) push\(count == 1 ? "" : "es")"
  }
}
