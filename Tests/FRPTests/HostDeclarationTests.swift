// Declarations of a host in every form that a text can have: usable, or told to be wrong; no trap.

import FRPBase
import Testing

@testable import FRP

@Suite struct HostDeclarationTests {
  private static let simple = [
    "Int", "Float", "Bool", "String", "()", "a", "Event<Int>", "Behavior<Int>", "Task<Int>", "Int -> Int", "Policy",
    "Duration", "Option<Int>", "Unknown", "", "Event", "List", "{}", "Event<a>", "Event<Event<Int>>", "Task<Task<a>>",
  ]
  private static var types: [String] {
    simple
      + simple.flatMap { type in
        [
          "List<\(type)>", "Map<String, \(type)>", "Map<\(type), Int>", "(\(type), Int)", "{x: \(type)}",
          "Option<\(type)>", "Result<\(type), \(type)>", "Event<\(type)>", "Task<\(type)>", "Int -> \(type)",
          "\(type) -> Int", "{x: Int, ...\(type)}",
        ]
      }
  }

  @Test func everyTypeIsTakenOrRefused() {
    let problems = onLargeStack {
      var problems: [String] = []
      var usable = 0
      for type in Self.types {
        for line in [
          "f(n: \(type)): Int", "f: \(type)", "f(n: Int, m: \(type)): \(type)", "f(n: \(type)): Task<\(type)>",
        ] {
          let module = HostModule("Geo", interface: line)
          let mistakes = module.mistakes
          if mistakes.isEmpty { usable += 1 }
          let program = Program(Source(name: "p.frp", text: Self.using(line)), host: [module])
          // An application is not to blame for what the program does with it.
          let blamesHost = program.diagnostics.contains {
            $0.notes.contains { $0.contains("mistake of the application") }
          }
          if blamesHost, mistakes.isEmpty { problems.append(line) }
          if mistakes.isEmpty, type.contains("Event") { problems.append("\(line): an event is no data") }
          if let run = try? Simulation(program) {
            run.start()
            run.advance(to: 1)
          }
        }
      }
      if usable < 200 { problems.append("only \(usable) can be used") }
      return problems
    }
    #expect(problems == [])
  }

  /// A program that uses the function, whatever its parameters are.
  private static func using(_ line: String) -> String {
    let uses =
      line.hasPrefix("f:") ? "Geo.f" : line.contains("m:") ? "Geo.f(1, Geo.f)" : "Geo.f"
    return "input e: Event<Int>\noutput x = 1\ng(y) = \(uses)\nh = e |> map(n => \(uses))\n"
  }

  @Test(arguments: [
    "", ":", "(", ")", "f(", "f()", "f():", "f(a)", "f(a:)", "f(: Int): Int", "f(a: Int, a: Int): Int",
    "1(a: Int): Int",
    "F(a: Int): Int", "if(a: Int): Int", "f(a: Int): Int = 1", "f(a: Int) Int", "f(a: Int): Int\nf(a: Int): Int",
    "f g(a: Int): Int", "f(a: Int, ): Int", "f(a: Int)): Int", "f((a: Int): Int", "f(a: {x: Int): Int",
    "map(a: Int): Int",
    "hostCall(a: Int): Int", "f(\u{202E}a: Int): Int", "f(a: List<List<List<List<List<Int>>>>>): Int", "_(a: Int): Int",
    "f(_: Int): Int", "f(a: Int): Int\u{0}", "\"f\"(a: Int): Int", "f.g(a: Int): Int", "input f: Int", "type T = Int",
    "import Geo", "f(a: Int): Task", "f(a: Int): Task<>", "f(a: Task): Int", "f(a: Int): Task<Int", "f(a: Int): a -> a",
  ])
  func everyLineIsTakenOrRefused(line: String) {
    onLargeStack {
      let module = HostModule("Geo", interface: line)
      _ = module.mistakes
      let program = Program(Source(name: "p.frp", text: "output x = 1\noutput y = Geo.f(1)"), host: [module])
      if let run = try? Simulation(program) { run.start() }
    }
  }

  /// Who runs the program is told, and the program's author is told that it is not theirs.
  @Test func mistakesNameTheApplication() {
    let module = HostModule("Geo") {
      $0.function("near", fileID: "App/Geo.swift", line: 7) { (n: Int) in n }
      $0.function("far away", fileID: "App/Geo.swift", line: 8) { (n: Int) in n }
      $0.function("near", fileID: "App/Geo.swift", line: 9) { (n: Int) in n }
    }
    #expect(module.mistakes.count == 2)
    #expect(module.mistakes.allSatisfy { $0.hasPrefix("App/Geo.swift:") })
    #expect(module.mistakes.contains("App/Geo.swift:9: `Geo.near`: it is declared twice"))
    let program = Program(Source(name: "p.frp", text: "output x = 1"), host: [module])
    #expect(program.hasErrors)
    for error in program.diagnostics {
      #expect(error.notes.contains { $0.contains("mistake of the application") }, "\(error)")
    }
    #expect(program.report.contains("App/Geo.swift:"))
  }
}
