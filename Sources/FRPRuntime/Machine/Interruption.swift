// How a host ends an instant that takes too long: it empties the count of steps, and the next step faults as if the
// limit had been reached. The instant is undone, as at every fault.

extension Machine {
  /// Where the steps left are counted. A signal handler may write -1 there while something runs on this machine.
  public var stepsLeftAddress: UnsafeMutablePointer<Int>? {
    guard let offset = MemoryLayout<MachineState>.offset(of: \.stepsLeft) else { return nil }
    return UnsafeMutableRawPointer(state).advanced(by: offset).assumingMemoryBound(to: Int.self)
  }
}
