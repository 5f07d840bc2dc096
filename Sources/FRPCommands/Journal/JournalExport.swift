// `frp journal DIR --export FILE`: what a journal holds, as a recording with its program, which `frp serve --recording` shows.
//
//   {"at":1.5,"@run":{"seed":…,"epoch":…,"set":{…},"texts":[["app.frp","…"],…],"state":"6672…"}}      first
//
// then the lines of the journal (Journal.swift) without its commits, and last its time. The state is there where one took the
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
    try store.forEachBatch(after: kept.batch) { (_, lines) throws(IOError) in
      for line in lines.split(separator: 0x0A) {
        let moment = JournalMoment(line)
        end = moment?.nanoseconds ?? end
        if !["@commit", "@run"].contains(moment?.key) { try text.write(line + [0x0A]) }
      }
    }
    if let end { try text.write(Array("{\"at\":\(Recorder.seconds(end))}\n".utf8)) }
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
