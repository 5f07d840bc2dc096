// debounce, throttle and audit by an event: the scope that an occurrence makes says when what waits comes out, or the
// next may pass.

import FRPCore
import FRPGraph

extension Reactor {
  /// debounce(e, q): x comes out when its q occurs, if no other came before
  /// throttle(e, q): first comes out, then nothing until its q occurs
  /// audit(e, q): the first opens a window; when its q occurs the newest comes out
  ///
  /// What comes in the instant of q comes after it: the scope runs first, then the occurrences are looked at.
  func runPause(_ site: EntrySite) throws(Fault) {
    let state = site.state
    let kind = site.entry.pointee.kind
    passCaptures(site.frame, state)
    try runDirty(state)
    live.runningNode = site.entry.pointee.node
    let start = live.occurrenceCount
    if let open = self.frame(state[OwnerState.current]), resultIsTouched(open) {
      if state[PauseState.isWaiting] != 0 { try add(state[PauseState.payload]) }
      setPayload(state, nil)
      close(state, open)
    }
    let (first, count) = fed(site)
    if count > 0 {
      let isOpen = state[OwnerState.current] != 0
      let counted = live.occurrences[kind == .throttleUntil ? first : first + count - 1]
      if kind == .throttleUntil {
        if !isOpen { try add(counted) }
      } else {
        setPayload(state, counted)
      }
      if !isOpen || kind == .debounceUntil {
        try turn(site, counted)
        try runDirty(state)
        live.runningNode = site.entry.pointee.node
      }
    }
    emit(site, from: start)
  }

  private func setPayload(_ state: Address, _ payload: Word?) {
    set(state + PauseState.isWaiting, payload == nil ? 0 : 1)
    set(state + PauseState.payload, payload ?? 0)
  }

  /// The scope that counts goes, and there is no other.
  private func close(_ state: Address, _ open: FrameRef) {
    leave(open)
    set(state + OwnerState.current, 0)
    noteChange(state + OwnerState.previous, state + OwnerState.current)
  }
}
