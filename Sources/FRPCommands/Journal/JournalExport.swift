// `frp journal DIR --export FILE`: what a journal holds, as a recording with its program, which `frp serve --recording` shows.
//
//   {"at":1.5,"@run":{"seed":…,"epoch":…,"set":{…},"texts":[["app.frp","…"],…],"state":"6672…"}}      first
//
// then the lines of the journal (Journal.swift) without its commits, and last its time. Calls are counted as in a recording: a journal has their
// numbers in the run, whichever process made them. The state is there where one took the
// place of what came before it: its bytes, two digits each. Without one the recording is `frp run --record`'s, and `frp replay`
// runs it.

import FRP
import FRPBase
import FRPIO

extension JournalCommand {
  static func export(_ store: JournalStore, into text: Spool) throws(IOError) {
    guard let kept = try store.point().map(JournalState.init) else { throw IOError("nothing has begun") }
    let texts = kept.texts.map { "[\(jsonString($0.name)),\(jsonString(String(decoding: $0.bytes, as: UTF8.self)))]" }
    let run = ["seed", "epoch", "set"].map { "\"\($0)\":\(kept.field($0) ?? "null")," }.joined()
    try text.write(Array("{\"at\":0,\"@run\":{\(run)\"texts\":[\(texts.joined(separator: ","))]".utf8))
    if let state = kept.state {
      try text.write(Array(",\"state\":\"".utf8))
      for start in stride(from: 0, to: state.count, by: 1 << 16) {
        try text.write(hexadecimal(state[start..<min(start + 1 << 16, state.count)]))
      }
      try text.write([0x22])
    }
    try text.write(Array("}}\n".utf8))
    var end: Int64?
    var numbers = CallNumbers()
    try store.forEachBatch(after: kept.batch) { (_, lines) throws(IOError) in
      for line in lines.split(separator: 0x0A) {
        let moment = JournalMoment(line)
        end = moment?.nanoseconds ?? end
        if !["@commit", "@run"].contains(moment?.key) { try text.write(numbers.counted(line, moment?.key) + [0x0A]) }
      }
    }
    if let end { try text.write(Array("{\"at\":\(Recorder.seconds(end))}\n".utf8)) }
  }

  /// Which call of a name with the same arguments each of a journal is.
  private struct CallNumbers {
    private var counts = CallCounts()
    /// By the number of a call in the run: of those that have not ended.
    private var underway: [String: Int] = [:]

    /// A line with `"n":2` behind the arguments of its call; others are as they were. A call that begins again in another process is the same.
    mutating func counted(_ line: ArraySlice<UInt8>, _ key: String?) -> ArraySlice<UInt8> {
      guard let key, ["@begun", "@opened", "@retrying", "@arrived", "@ended"].contains(key),
        let fields = JSONParts.object(String(decoding: line, as: UTF8.self)),
        let id = fields.first(where: { $0.name == "id" })?.json
      else { return line }
      func field(_ name: String) -> String { fields.first { $0.name == name }?.json ?? "" }
      let number = underway[id] ?? counts.next("\(field(key)),\"args\":\(field("args"))")
      underway[id] = key == "@ended" ? nil : number
      let parts = fields.flatMap { name, json in
        name == "n" ? [] : ["\"\(name)\":\(json)"] + (name == "args" ? ["\"n\":\(number)"] : [])
      }
      return Array("{\(parts.joined(separator: ","))}".utf8)[...]
    }
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
