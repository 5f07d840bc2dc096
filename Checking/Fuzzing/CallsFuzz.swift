// The C library, called in any order with any handles: it answers with a status, and everything is released at the end.
//
// The bytes are calls: one byte names the call, those after it are its arguments.

import FRPC

enum CallsFuzz {
  private static let texts = [
    "input n: Event<Int>\noutput total = n |> fold(0, (a, b) => a + b)\noutput late = n |> delay(100ms)",
    "input n: Event<Int>\ninput s: Behavior<String> = \"a\"\noutput total = n |> count\noutput s2 = s ++ s",
    "input n: Event<Int>\noutput total = toFloat(1 / 0)", "output total = 1",
    "output x = integral(time)\noutput f = 1 < 2",
  ]

  private struct Script {
    var bytes: ArraySlice<UInt8>
    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }
    mutating func text(_ longest: Int = 12) -> [UInt8] {
      let count = Int(byte()) % longest
      defer { bytes = bytes.dropFirst(count) }
      return Array(bytes.prefix(count))
    }
  }

  static func problem(_ bytes: [UInt8]) -> String? {
    var script = Script(bytes: bytes.prefix(200)[...])
    var handles: [UInt64] = [0, .max]
    var snapshot: [UInt8] = []
    let live = liveHandles()
    while !script.bytes.isEmpty {
      let code = call(&script, &handles, &snapshot)
      if !(0...12).contains(code) { return "status \(code)" }
    }
    for handle in handles { _ = release(handle) }
    return liveHandles() == live ? nil : "\(liveHandles() - live) handles are left"
  }

  private static func call(_ script: inout Script, _ handles: inout [UInt64], _ snapshot: inout [UInt8]) -> Int32 {
    let name = script.byte()
    let handle = handles[Int(script.byte()) % handles.count]
    let port = Int32(script.byte() % 6) - 1
    var number = 0
    var buffer = [UInt8](repeating: 0, count: Int(script.byte()) * 4)
    let room = buffer.count
    switch name % 22 {
    case 0:
      var program: UInt64 = 0
      let text = script.byte() % 8 == 7 ? script.text(60) : Array(texts[Int(script.byte()) % texts.count].utf8)
      let code = compile(text, 0, text, text.count, &program)
      handles.append(program)
      return code
    case 1:
      var run: UInt64 = 0
      let limits: [UInt64] = [100_000, 1 << 20, 1 << 14, 100, UInt64(script.byte())]
      let code = open(handle, limits, Int(script.byte() % 6), 1, &run)
      if code == 0 { handles.append(run) }
      return code
    case 2: return start(handle)
    case 3: return advance(handle, Double(Int(script.byte()) - 20) / 10)
    case 4: return sendInt(handle, port, Int64(Int8(bitPattern: script.byte())) << (script.byte() % 60))
    case 5:
      let text = script.text()
      return text.isEmpty ? sendJSON(handle, port, nil, 1) : sendJSON(handle, port, text, text.count)
    case 6: return sendText(handle, port, nil, Int(script.byte()) - 1)
    case 7: return sendDouble(handle, port, script.byte() == 0 ? .nan : 1)
    case 8: return sendUnit(handle, port)
    case 9: return watch(handle, port)
    case 10: return poll(handle, &buffer, room, &number)
    case 11: return readJSON(handle, port, &buffer, room, &number)
    case 12: return readText(handle, port, &buffer, room, &number)
    case 13:
      var value: Int64 = 0
      return readInt(handle, port, &value)
    case 14:
      var all = [UInt8](repeating: 0, count: 1 << 14)
      let code = FRPC.snapshot(handle, &all, all.count, &number)
      if code == 0 { snapshot = Array(all.prefix(number)) }
      return code
    case 15: return restore(handle, snapshot, max(0, snapshot.count - Int(script.byte() % 2)))
    case 16: return replace(handle, handles[Int(script.byte()) % handles.count])
    case 17: return finish(handle)
    case 18: return message(handle, &buffer, room, &number)
    case 19: return many(&script, handle, port)
    case 20: return sendDoubles(handle, port, [1, script.byte() == 0 ? .nan : 2, 3], 3, nil)
    default: return release(handle)
    }
  }

  /// Many numbers, or a count without any; what is said to be taken is among them.
  private static func many(_ script: inout Script, _ handle: UInt64, _ port: Int32) -> Int32 {
    let values = script.text(40).map { Int64(Int8(bitPattern: $0)) << 40 }
    var taken = -1
    let code = sendInts(handle, port, values, values.count, &taken)
    if taken < 0 || taken > values.count || (code == 0 && taken != values.count) { return -1 }
    return values.isEmpty ? sendInts(handle, port, nil, Int(script.byte()) - 1, nil) : code
  }
}
