// A file is edited while its program runs: the new text takes over at once, and what keeps its name, operators, types and
// start values goes on with what it remembers. A text with errors changes nothing.

import FRP
import Foundation

let file = FileManager.default.temporaryDirectory.appending(path: "score-\(getpid()).frp")
defer { try? FileManager.default.removeItem(at: file) }

/// The texts of a file, now and whenever it has changed: looked at every few milliseconds.
func versions(of file: URL) -> AsyncStream<String> {
  AsyncStream { continuation in
    let watching = Task {
      var last: String?
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

var run: Simulation?
var edits = texts.makeIterator()
@MainActor func edit() throws { try edits.next()?.write(to: file, atomically: true, encoding: .utf8) }

try edit()
for await text in versions(of: file) {
  let program = Program(Source(name: "score.frp", text: text))
  do {
    if let run {
      print(try run.replaceProgram(with: program).text)
    } else {
      run = try Simulation(program)
      run?.start()
    }
  } catch {
    print("refused: \(program.diagnostics.first?.title ?? error.message)")
  }
  try run?.send("null", to: "clicks")
  try run?.send("null", to: "clicks")
  print("score \(try run?.value(of: "score") ?? "")")
  if text == texts.last { break }
  try edit()
}
