// The C library: inputs. What they take, one by one and many at once; words about it are in frp.h.

import FRP
import FRPCore
import FRPGraph
import FRPRuntime

@c(frp_input) public func input(
  _ run: UInt64, _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Int32 {
  Handles.withRun(run) { box in find(box, box.simulation.program.inputs, name, length, port) }
}

@c(frp_output) public func output(
  _ run: UInt64, _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Int32 {
  Handles.withRun(run) { box in find(box, box.simulation.program.outputs, name, length, port) }
}

private func find(
  _ box: RunBox, _ ports: [Port], _ name: UnsafePointer<UInt8>?, _ length: Int, _ port: UnsafeMutablePointer<Int32>?
) -> Status {
  guard let port else { return box.refuses("there is no place for the port") }
  guard let name = box.text(name, length, "the name") else { return .badArgument }
  guard let index = ports.firstIndex(where: { $0.name == name }) else {
    return box.fails(.unknownPort, "there is no port `\(name)`")
  }
  port.pointee = Int32(index)
  return .ok
}

private func send(_ run: UInt64, _ port: Int32, _ type: TypeID, _ word: Word) -> Int32 {
  Handles.withRun(run) { box in
    if box.isFull { return box.isTooFull }
    let reception = box.engine.pointee._withUnsafeGuaranteedRef { $0.send(port: Int(port), word, as: type) }
    return reception == .taken ? .ok : box.status(reception, port)
  }
}

/// Sends many, each in an instant of its own; `taken` gets how many have happened.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID, _ words: UnsafeBufferPointer<Word>, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    var count = 0
    let reception = box.engine.pointee._withUnsafeGuaranteedRef { reactor in
      if !box.watching.isUsed { return reactor.send(port: Int(port), many: words, as: type, taken: &count) }
      // How much is kept is known after each.
      var reception = reactor.maySend(Int(port), as: type)
      while reception == .taken, count < words.count, !box.isFull {
        reception = reactor.send(port: Int(port), words[count], as: type)
        if reception == .taken { count += 1 }
      }
      return reception
    }
    taken?.pointee = count
    if reception != .taken { return box.status(reception, port) }
    return count < words.count ? box.isTooFull : .ok
  }
}

/// The values that a caller passes; nil, and said, where there are none.
private func sendable<Value>(
  _ run: UInt64, _ values: UnsafePointer<Value>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
)
  -> UnsafeBufferPointer<Value>?
{
  taken?.pointee = 0
  if let values = given(values, count) { return values }
  _ = Handles.withRun(run) { $0.refuses(count < 0 ? "\(count) are to be sent" : "what is to be sent is NULL") }
  return nil
}

@c(frp_send_ints) public func sendInts(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<Int64>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let numbers = sendable(run, values, count, taken) else { return Status.badArgument.rawValue }
  // An Int is the word that it is.
  return numbers.withMemoryRebound(to: Word.self) {
    send(run, port, .int, $0, taken)
  }
}

@c(frp_send_doubles) public func sendDoubles(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<Double>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let numbers = sendable(run, values, count, taken) else { return Status.badArgument.rawValue }
  // Those before the first that is no Float happen.
  let fit = numbers.firstIndex { !$0.isFinite } ?? count
  let status = UnsafeBufferPointer(rebasing: numbers[..<fit]).withMemoryRebound(to: Word.self) {
    send(run, port, .float, $0, taken)
  }
  if fit == count || status != Status.ok.rawValue { return status }
  return Handles.withRun(run) { $0.fails(.unfit, "\(numbers[fit]) is no Float: it is not finite") }
}

@c(frp_send_bools) public func sendBools(
  _ run: UInt64, _ port: Int32, _ values: UnsafePointer<UInt8>?, _ count: Int, _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let bits = sendable(run, values, count, taken) else { return Status.badArgument.rawValue }
  let words = bits.map { Word(bool: $0 != 0) }
  return words.withUnsafeBufferPointer { send(run, port, .bool, $0, taken) }
}

/// Sends many texts that stand one after the other, each in an instant of its own.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID?, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?,
  _ count: Int, _ taken: UnsafeMutablePointer<Int>?,
  _ body: (Simulation, UnsafeBufferPointer<UInt8>) -> SimulationError?
) -> Int32 {
  guard let lengths = sendable(run, lengths, count, taken) else { return Status.badArgument.rawValue }
  var start = 0
  for (place, length) in lengths.enumerated() {
    let status = send(run, port, type, bytes.map { $0 + start }, length, body)
    if status != Status.ok.rawValue { return status }
    start += length
    taken?.pointee = place + 1
  }
  return Status.ok.rawValue
}

@c(frp_send_utf8s) public func sendTexts(
  _ run: UInt64, _ port: Int32, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
  _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  send(run, port, .string, bytes, lengths, count, taken) { $0.send(text: $1, port: Int(port)) }
}

@c(frp_send_jsons) public func sendJSONs(
  _ run: UInt64, _ port: Int32, _ bytes: UnsafePointer<UInt8>?, _ lengths: UnsafePointer<Int>?, _ count: Int,
  _ taken: UnsafeMutablePointer<Int>?
) -> Int32 {
  send(run, port, nil, bytes, lengths, count, taken) { $0.send(json: $1, port: Int(port)) }
}

@c(frp_send_unit) public func sendUnit(_ run: UInt64, _ port: Int32) -> Int32 { send(run, port, .unit, Word.unit) }

@c(frp_send_int) public func sendInt(_ run: UInt64, _ port: Int32, _ value: Int64) -> Int32 {
  send(run, port, .int, Word(bitPattern: value))
}

@c(frp_send_bool) public func sendBool(_ run: UInt64, _ port: Int32, _ value: Int32) -> Int32 {
  send(run, port, .bool, Word(bool: value != 0))
}

@c(frp_send_double) public func sendDouble(_ run: UInt64, _ port: Int32, _ value: Double) -> Int32 {
  if !value.isFinite {
    return Handles.withRun(run) { $0.fails(.unfit, "\(value) is no Float: it is not finite") }
  }
  return send(run, port, .float, Word(float: value))
}

/// Sends a text to an input that takes it, where it is UTF-8.
private func send(
  _ run: UInt64, _ port: Int32, _ type: TypeID?, _ text: UnsafePointer<UInt8>?, _ length: Int,
  _ body: (Simulation, UnsafeBufferPointer<UInt8>) -> SimulationError?
) -> Int32 {
  Handles.withRun(run) { box in
    guard let bytes = box.bytes(text, length, "the text") else { return .badArgument }
    guard UTF8Text.isValid(bytes) else { return box.fails(.unfit, "the text is no UTF-8") }
    if box.isFull { return box.isTooFull }
    let reception = box.engine.pointee._withUnsafeGuaranteedRef { $0.maySend(Int(port), as: type) }
    if reception != .taken { return box.status(reception, port) }
    return body(box.simulation, bytes).map { box.fails($0) } ?? .ok
  }
}

@c(frp_send_utf8) public func sendText(_ run: UInt64, _ port: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int)
  -> Int32
{
  send(run, port, .string, text, length) { $0.send(text: $1, port: Int(port)) }
}

@c(frp_send_json) public func sendJSON(_ run: UInt64, _ port: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int)
  -> Int32
{
  send(run, port, nil, text, length) { $0.send(json: $1, port: Int(port)) }
}
