// The C library: values of outputs. Words about them are in frp.h; what watched outputs show is in Watching.swift.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

private func read(_ run: UInt64, _ port: Int32, _ type: TypeID?, _ body: (RunBox, Word) -> Status) -> Int32 {
  Handles.withRun(run) { box in
    box.engine.pointee._withUnsafeGuaranteedRef { reactor in
      let reception = reactor.mayRead(Int(port), as: type)
      if reception != .taken { return box.cannotRead(reception, port) }
      switch reactor.value(of: Int(port)) {
      case .success(let word): return body(box, word)
      case .failure(let fault): return box.fails(.fault, fault.text)
      }
    }
  }
}

extension RunBox {
  /// Why an output cannot be read, in words.
  fileprivate func cannotRead(_ reception: Reception, _ port: Int32) -> Status {
    switch reception {
    case .otherType: return isOfAnotherType(simulation.program.outputs, port)
    case .notNow: return fails(.notNow, "the run has not started")
    case .taken, .noPort, .faulted: return hasNoPort(port)
    }
  }
}

/// The same of a word that goes into a place of the caller's.
private func read<Value>(
  _ run: UInt64, _ port: Int32, _ type: TypeID, into place: UnsafeMutablePointer<Value>?, _ value: (Word) -> Value
) -> Int32 {
  read(run, port, type) { box, word in
    guard let place else { return box.refuses("there is no place for the value") }
    place.pointee = value(word)
    return .ok
  }
}

@c(frp_read_int) public func readInt(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Int64>?) -> Int32 {
  read(run, port, .int, into: value) { Int64(bitPattern: $0) }
}

@c(frp_read_bool) public func readBool(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Int32>?) -> Int32 {
  read(run, port, .bool, into: value) { $0.bool ? 1 : 0 }
}

@c(frp_read_double) public func readDouble(_ run: UInt64, _ port: Int32, _ value: UnsafeMutablePointer<Double>?)
  -> Int32
{
  read(run, port, .float, into: value) { $0.float }
}

@c(frp_read_utf8) public func readText(
  _ run: UInt64, _ port: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  read(run, port, .string) { box, word in
    box.give(box.simulation.reactor.heap.bytes(word), buffer, capacity, needed)
  }
}

@c(frp_read_json) public func readJSON(
  _ run: UInt64, _ port: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  read(run, port, nil) { box, word in
    box.simulation.withJSON(word, ofOutput: Int(port)) { box.give($0, buffer, capacity, needed) }
  }
}
