// The faults that captured cells keep: a function value holds what a behavior was when it was made, also where that was
// a fault. A suspended computation that has faulted names its fault by place here.

enum CellState {
  /// In the place of a suspended computation's code; its value is then the place of its fault.
  static let faults = UInt64.max
}

struct FaultCells {
  /// Faults differ by their place in the source and, rarely, by their text, so that they stay few.
  static let most = 65_536

  private var faults: [Fault] = []
  private var places: [Fault: Int] = [:]

  mutating func place(of fault: Fault) throws(Fault) -> Word {
    if let known = places[fault] { return Word(int: known) }
    if faults.count == FaultCells.most { throw Fault.memory }
    places[fault] = faults.count
    faults.append(fault)
    return Word(int: faults.count - 1)
  }

  func fault(_ place: Word) -> Fault { faults[place.int] }
}
