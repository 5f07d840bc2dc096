// `frp repl --protocol json`: a request and a reply a line, for notebooks and editors.
//
//   {"id":1,"do":"enter","text":"n = 1 + 2"}     {"id":1,"ok":true,"text":"n : Int = 3"}
//   {"id":2,"do":"complete","text":"tak","cursor":3}   {"id":2,"ok":true,"replaced":3,"names":["take",…]}
//   {"id":3,"do":"push","input":"x","value":3}    {"id":3,"ok":true,"occurrences":[…],"text":""}
//   {"id":4,"do":"advance","to":1.5}              {"id":4,"ok":true,"time":1.5,"occurrences":[{"at":1.5,"name":"e","value":3}]}
//   {"id":5,"do":"list"}                          {"id":5,"ok":true,"definitions":[{"name":"n","type":"Int","kind":"constant","value":3}]}
//
// - Time is virtual: it passes only by `advance`. `id` may be any JSON and comes back as it was; it may be left out.
// - Values are JSON as everywhere. What `enter` answers in words is in `text`; `ok` is false where something was wrong.
// - A line that is no request is answered by `ok` false and `text`; the session goes on. It ends with its input.

import FRP
import FRPBase
import Glibc

/// Where the session's words go: into the reply.
private final class ReplySource: LineSource {
  let isInteractive = false
  var said: [String] = []
  func read(_ prompt: String, _ listener: any EntryListener) -> EntryRead { .end }
  func show(_ text: String) { said.append(text) }
  func replaceLast(_ text: String) {}
  func remember(_ entry: String) {}
  func prefill(_ text: String) {}
  func close() {}
}

final class ReplProtocol {
  private let words = ReplySource()
  private let session: ReplSession
  private var isOver = false

  init(_ console: Console, _ surroundings: Surroundings = Surroundings()) {
    session = ReplSession(words, console, surroundings)
    session.clock.choose(virtual: true)
    session.clock.set(to: 0)
    session.epoch = 0
    session.rebuild(until: 0)
    session.captured = []
  }

  func run(_ lines: () -> String?, _ out: Writer) -> ExitCode {
    while !isOver, let line = lines() {
      if trimmed(line).isEmpty { continue }
      out.writeLine(answer(line))
      out.flush()
    }
    return .success
  }

  func load(_ path: String) -> Bool {
    session.load(path, begins: true)
    return !session.hasFailed
  }

  /// The reply to one line.
  func answer(_ line: String) -> String {
    words.said = []
    session.hasFailed = false
    guard let fields = JSONParts.object(line) else {
      return reply("null", isRight: false, "\"text\":\(jsonString("a request is a JSON object on one line"))")
    }
    func field(_ name: String) -> String? { fields.first { $0.name == name }?.json }
    let id = field("id") ?? "null"
    let body = perform(field("do").flatMap(JSONParts.string) ?? "", field)
    return reply(id, isRight: !session.hasFailed, body)
  }

  private func reply(_ id: String, isRight: Bool, _ body: String) -> String {
    "{\"id\":\(id),\"ok\":\(isRight)" + (body.isEmpty ? "" : "," + body) + "}"
  }

  /// What was said, as a field.
  private var text: String { "\"text\":\(jsonString(words.said.joined(separator: "\n")))" }

  private func fail(_ message: String) -> String {
    session.hasFailed = true
    return "\"text\":\(jsonString(message))"
  }

  private func perform(_ request: String, _ field: (String) -> String?) -> String {
    switch request {
    case "enter":
      guard let entry = field("text").flatMap(JSONParts.string) else { return fail("enter needs a text") }
      session.enter(entry)
      session.goOnWithTasks()
      isOver = session.isOver
      return text
    case "check":
      guard let entry = field("text").flatMap(JSONParts.string) else { return fail("check needs a text") }
      return "\"complete\":\(session.isComplete(entry))"
    case "complete": return complete(field)
    case "push": return push(field)
    case "advance": return advance(field)
    case "list": return "\"time\":\(session.clock.now),\"definitions\":[\(definitions)]"
    case "value":
      guard let name = field("name").flatMap(JSONParts.string) else { return fail("value needs a name") }
      guard let value = try? session.simulation?.value(of: name) else {
        return fail("nothing with a value is called \(name)")
      }
      return "\"value\":\(value)"
    case "quit":
      isOver = true
      return ""
    default: return fail("do is one of enter, check, complete, push, advance, list, value, quit")
    }
  }

  private func complete(_ field: (String) -> String?) -> String {
    guard let entry = field("text").flatMap(JSONParts.string) else { return fail("complete needs a text") }
    let cursor = field("cursor").flatMap(Int.init) ?? entry.unicodeScalars.count
    guard (0...entry.unicodeScalars.count).contains(cursor) else { return fail("the cursor is outside of the text") }
    let found = ReplCompletion.candidates(entry, cursor: cursor, session)
    let names = found.names.map { "{\"name\":\(jsonString($0.name)),\"note\":\(jsonString($0.note))}" }
    return "\"replaced\":\(found.word.unicodeScalars.count),\"names\":[\(names.joined(separator: ","))]"
  }

  private func push(_ field: (String) -> String?) -> String {
    guard let name = field("input").flatMap(JSONParts.string) else { return fail("push needs an input") }
    guard session.current.name(name)?.isInput == true else { return fail("there is no input called \(name)") }
    session.send([(name, field("value") ?? "null")])
    session.goOnWithTasks()
    session.showFaults()
    return "\(occurrences),\(text)"
  }

  private func advance(_ field: (String) -> String?) -> String {
    let by = field("by").flatMap(Double.init).map { session.clock.now + $0 }
    guard let time = field("to").flatMap(Double.init) ?? by, time.isFinite, time < 1e9 else {
      return fail("advance needs `to` or `by`, in seconds")
    }
    if time < session.clock.now { return fail("time only goes forward; enter :back for the other way") }
    session.advance(to: time)
    session.clock.set(to: time)
    return "\"time\":\(time),\(occurrences),\(text)"
  }

  /// What was shown since the last reply that told.
  private var occurrences: String {
    let list = (session.captured ?? []).enumerated().sorted {
      ($0.element.occurrence.time, $0.offset) < ($1.element.occurrence.time, $1.offset)
    }.map { _, shown in
      "{\"at\":\(shown.occurrence.time),\"name\":\(jsonString(shown.name)),\"value\":\(shown.occurrence.json)}"
    }
    session.captured = []
    return "\"occurrences\":[\(list.joined(separator: ","))]"
  }

  private var definitions: String {
    session.current.names.map { known in
      let value =
        known.kind == .constant || known.kind == .behavior ? (try? session.simulation?.value(of: known.name)) : nil
      return "{\"name\":\(jsonString(known.name)),\"type\":\(jsonString(known.type)),\"kind\":\"\(known.kind)\","
        + "\"input\":\(known.isInput),\"value\":\(value ?? "null")}"
    }.joined(separator: ",")
  }
}
