// The soak: random programs until somebody stops it, or one program looked at closely.
//
//   FRPSoak run FILE [TRACE]     what the model says
//   FRPSoak core FILE            the core
//   FRPSoak show SEED            a random program and its trace
//   FRPSoak check FROM TO        whether random programs compile and the model can run them
//   FRPSoak acceptance [NAME...] the model against the acceptance programs

import FRPCore
import FRPDifferential
import FRPModel
import Glibc

let words = Array(CommandLine.arguments.dropFirst())

func fail(_ text: String) -> Never {
  print(text)
  exit(1)
}

switch words.first {
case "acceptance":
  var failures = 0
  for name in Acceptance.names where words.count < 2 || words.contains(name) {
    guard let problem = Acceptance.model(name) else { continue }
    failures += 1
    print("\(name): \(problem)")
  }
  print("\(failures) of \(Acceptance.names.count) fail")
case "run" where words.count > 1:
  let compiled = Compiled(TestFiles.read(words[1]) ?? "", name: words[1])
  guard let core = compiled.core else { fail(compiled.problems) }
  let trace = words.count > 2 ? TraceLine.parse(TestFiles.read(words[2]) ?? "") : []
  let run = onLargeStack { Model(core).run(trace ?? []) }
  for line in run.lines { print(Expectations.describe(line)) }
  for fault in run.faults { print("fault at \(fault.seconds) in \(fault.definition): \(fault.message)") }
case "core" where words.count > 1:
  let compiled = Compiled(TestFiles.read(words[1]) ?? "", name: words[1])
  print(compiled.core?.describe() ?? compiled.problems)
case "show" where words.count > 1:
  let program = Generator.program(seed: UInt64(words[1]) ?? 0)
  print(program.source + "\n" + program.traceText)
case "check" where words.count > 2:
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let program = Generator.program(seed: seed)
    let compiled = Compiled(program.source)
    guard let core = compiled.core else {
      print("seed \(seed): \(compiled.problems)")
      continue
    }
    guard let trace = TraceLine.parse(program.traceText) else { fail("seed \(seed): bad trace") }
    let run = onLargeStack { Model(core).run(trace) }
    if let fault = run.faults.first(where: { !Faults.isExpected($0.message) }) {
      print("seed \(seed): \(fault.message) in \(fault.definition) at \(fault.seconds)")
    }
  }
default:
  print("FRPSoak run FILE [TRACE] | core FILE")
}
