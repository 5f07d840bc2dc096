// Who watches the outputs of a simulation: for every output a list, found by its index.
//
// Rules
// - Telling takes nothing but a walk along the list: no name is looked up, nothing is allocated, no reference counted.
// - Who begins to watch while a change is being told hears of the next one. Who has ended is told nothing more, and is
//   taken off the list at the next change or the next watcher.
// - A watcher knows its output by name, so that it finds it again in a program that takes this one's place.

import FRPCore
import FRPGraph
import FRPRuntime

/// An observation under way: it lasts until it is cancelled, or its owner is gone, or the simulation is.
public final class OutputObservation {
  fileprivate(set) var isCancelled = false
  private weak var owner: AnyObject?
  private let isOwned: Bool

  init(owner: AnyObject? = nil) {
    self.owner = owner
    isOwned = owner != nil
  }

  /// Ends it. Inside the callback: from the next occurrence on.
  public func cancel() { isCancelled = true }

  var isOver: Bool { isCancelled || (isOwned && owner == nil) }
}

/// Somebody who watches an output. An object, so that calling it counts no references.
final class Watcher {
  typealias Receive = (Word, ValueBridge, ValueBridge.ValueType, Double) -> Void

  let name: String
  /// Where the output was when watching began.
  let hint: Int
  let isEvent: Bool
  let wanted: FrpType
  let observation: OutputObservation
  let receive: Receive
  /// The output's type in the program that runs.
  fileprivate(set) var type = ValueBridge.ValueType(id: .unit)
  /// The next who watches the same output.
  fileprivate var next: Unmanaged<Watcher>?

  init(
    _ port: PortHandle, isEvent: Bool, _ wanted: FrpType, _ observation: OutputObservation, _ receive: @escaping Receive
  ) {
    name = port.name
    hint = port.index
    self.isEvent = isEvent
    self.wanted = wanted
    self.observation = observation
    self.receive = receive
  }
}

/// The watchers of a simulation, by output of the program that runs.
struct WatcherTable {
  /// By output, in the order in which they came: this is what keeps them.
  private var lists: [[Watcher]]
  /// Those whose output the program does not have.
  private var waiting: [Watcher] = []
  /// Those who came while a change was being told.
  private var late: [Watcher] = []
  private var isTelling = false
  /// By output: the first who watches it. The others follow by `next`.
  private var first: UnsafeMutablePointer<Unmanaged<Watcher>?>
  private var plan: Plan
  /// Is told whether there is anybody.
  private let wiring: UnsafeMutablePointer<Wiring>

  init(_ plan: Plan, _ wiring: UnsafeMutablePointer<Wiring>) {
    (self.plan, self.wiring) = (plan, wiring)
    lists = Array(repeating: [], count: plan.outputs.count)
    first = Self.noLists(plan.outputs.count)
  }

  func deallocate() { first.deallocate() }

  private static func noLists(_ count: Int) -> UnsafeMutablePointer<Unmanaged<Watcher>?> {
    let lists = UnsafeMutablePointer<Unmanaged<Watcher>?>.allocate(capacity: max(1, count))
    lists.initialize(repeating: nil, count: max(1, count))
    return lists
  }

  mutating func add(_ watcher: Watcher) {
    if isTelling {
      late.append(watcher)
    } else if let place = place(of: watcher) {
      lists[place].append(watcher)
      link(place)
    } else {
      waiting.append(watcher)
    }
  }

  /// Where its output is now; nil if the program has none of its name and type.
  private func place(of watcher: Watcher) -> Int? {
    let hint = watcher.hint
    let isThere = plan.outputs.indices.contains(hint) && plan.outputs[hint].name == watcher.name
    guard let place = isThere ? hint : plan.outputs.firstIndex(where: { $0.name == watcher.name }) else { return nil }
    let output = plan.outputs[place]
    if output.isEvent != watcher.isEvent { return nil }
    if watcher.wanted.difference(plan.core.types, output.type, isSent: false) != nil { return nil }
    watcher.type = ValueBridge.ValueType(id: output.type)
    return place
  }

  /// Takes those who have ended off a list.
  private mutating func link(_ place: Int) {
    lists[place].removeAll { $0.observation.isOver }
    var next: Unmanaged<Watcher>?
    for watcher in lists[place].reversed() {
      watcher.next = next
      next = Unmanaged.passUnretained(watcher)
    }
    first[place] = next
    wiring.pointee.isWatched = next != nil || lists.contains { !$0.isEmpty }
  }

  /// Another program runs now. Who watches an output that it does not have, or has with another type, is told nothing
  /// until a program has it again.
  mutating func move(to plan: Plan) {
    let all = lists.flatMap { $0 } + waiting
    first.deallocate()
    first = Self.noLists(plan.outputs.count)
    lists = Array(repeating: [], count: plan.outputs.count)
    waiting = []
    self.plan = plan
    wiring.pointee.isWatched = false
    for watcher in all where !watcher.observation.isOver { add(watcher) }
  }

  /// Tells who watches an output. By pointer: whoever is told may begin to watch, or end it.
  @inline(__always)
  static func tell(
    _ table: UnsafeMutablePointer<WatcherTable>, _ output: Int, _ word: Word, _ bridge: ValueBridge, _ time: Double
  ) {
    var next = table.pointee.first[output]
    if next == nil { return }
    var anyOver = false
    table.pointee.isTelling = true
    while let watcher = next {
      next = watcher._withUnsafeGuaranteedRef { watcher in
        if watcher.observation.isOver { anyOver = true } else { watcher.receive(word, bridge, watcher.type, time) }
        return watcher.next
      }
    }
    table.pointee.isTelling = false
    if anyOver || !table.pointee.late.isEmpty { table.pointee.settle(output) }
  }

  @inline(never)
  private mutating func settle(_ output: Int) {
    link(output)
    let added = late
    late = []
    for watcher in added { add(watcher) }
  }
}
