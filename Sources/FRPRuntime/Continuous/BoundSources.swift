// What bounds are made of (BoundReader.swift): the instances of scopes, and what delayed behaviors read.

import FRPCore
import FRPGraph

extension ContinuousSolver {
  var hasSteering: Bool { !reads.steering.isEmpty }
  var pastChanges: Int { delays.past.changes }

  func instances(of node: NodeID, _ base: Address, at moment: Double?) -> (instances: [Instance], until: Double)? {
    guard let place = place(of: node, base) else { return nil }
    guard let moment else { return (delays.past.present(place).map { instance($0) }, .infinity) }
    guard let (frames, until) = delays.past.log(of: place.owner)?.members(after: moment) else { return nil }
    return (frames.map { instance($0) }, until)
  }

  private func instance(_ frame: FrameRef) -> Instance {
    Instance(
      base: frame.pointee.new, key: frame.pointee.key,
      scope: reactor.plan.templates[frame.pointee.template.pointee.index].scope)
  }

  func step(_ slot: Address, at moment: Double) -> (word: Word, until: Double)? {
    delays.past.log(of: slot)?.word(after: moment)
  }

  func history(of node: NodeID, _ base: Address) -> IntegralHistory? {
    place(of: node, base).flatMap { delays.past.history(of: $0.owner) }
  }

  func delay(_ node: NodeID, _ base: Address) -> DelayRow? { place(of: node, base).flatMap { delays[$0.owner] } }

  /// The entry of a node in the frame whose `new` array is at `base`.
  private func place(of node: NodeID, _ base: Address) -> (frame: FrameRef, owner: RowOwner)? {
    let number = Int(truncatingIfNeeded: base[1])
    guard number < reactor.live.frames.count, let frame = reactor.live.frames.frames[number], frame.pointee.new == base
    else {
      return nil
    }
    return place(of: node, from: frame)
  }
}
