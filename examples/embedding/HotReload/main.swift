// A file is edited while its program runs: the new text takes over at once, and what keeps its name, operators, types and
// start values goes on with what it remembers. A text with errors changes nothing.

import FRP
import Foundation

let file = FileManager.default.temporaryDirectory.appending(path: "score-\(getpid()).frp")
defer { try? FileManager.default.removeItem(at: file) }

/// The texts of a file whenever it has changed: looked at every few milliseconds.
func versions(of file: URL, since first: String) -> AsyncStream<String> {
  AsyncStream { continuation in
    let watching = Task {
      var last = first
      while !Task.isCancelled {
        if let text = try? String(contentsOf: file, encoding: .utf8), text != last {
          last = text
          continuation.yield(text)
        }
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    continuation.onTermination = { _ in watching.cancel() }
  }
}

let texts = [
  "input clicks: Event<Unit>\noutput score = clicks |> fold(0, (n, _) => n + 1)\noutput level = every(10s) |> count\n",
  "input clicks: Event<Unit>\noutput score = clicks |> fold(0, (n, _) => n + 10)\noutput level = every(5s) |> count\n",
  "input clicks: Event<Unit>\noutput score = clocks |> count\n",
]

var edits = texts.makeIterator()
@MainActor func edit() throws { try edits.next()?.write(to: file, atomically: true, encoding: .utf8) }

try edit()
let program = try Program(contentsOf: file.path)
let clicks = try program.eventInput("clicks", of: FrpUnit.self)
let score = try program.behavior("score", of: Int.self)

let run = try Simulation(program)
run.start()

/// Handles of the first text serve every later one that has such a port.
@MainActor func play() throws {
  try run.send(to: clicks)
  try run.send(to: clicks)
  print("score \(try run.value(of: score))")
}

try play()
try edit()
for await text in versions(of: file, since: texts[0]) {
  let program = Program(Source(name: "score.frp", text: text))
  do {
    print(try run.replaceProgram(with: program).text)
  } catch {
    print("refused: \(program.diagnostics.first?.title ?? error.message)")
  }
  try play()
  if text == texts.last { break }
  try edit()
}
