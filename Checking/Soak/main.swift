// The soak: random programs until the time is up, or one program looked at closely.
//
//   FRPSoak soak [MINUTES]       fresh programs for so long, an hour without it
//   FRPSoak run FILE [TRACE]     what the model says
//   FRPSoak engine FILE TRACE    what the engine says
//   FRPSoak core FILE            the core
//   FRPSoak show SEED            a random program and its trace
//   FRPSoak showhybrid SEED      one of continuous time; showwide, showwidehybrid: one with every form of the language
//   FRPSoak check FROM TO        whether random programs compile and the model can run them
//   FRPSoak seeds FROM TO        engine against model on random programs
//   FRPSoak hybrids FROM TO      the same on random programs of continuous time
//   FRPSoak wide FROM TO         the same on random programs with every form of the language; widehybrids as well
//   FRPSoak nestings FROM TO     the same on programs about operators in scopes
//   FRPSoak motions FROM TO      the same on operators of continuous time in scopes
//   FRPSoak chains FROM TO       the same on chains of operators whose functions call others
//   FRPSoak pulses FROM TO       random pulses of a microsecond to a second against their closed forms
//   FRPSoak showpulse SEED       one of them
//   FRPSoak shrink SEED...       the smallest program like that of each seed on which they differ
//   FRPSoak shrinkbytes FILE...  the same for choices that the fuzzer found
//   FRPSoak diff FILE TRACE      engine against model on a program
//   FRPSoak rx [ID...]           the marble tests of RxJS
//   FRPSoak peers [ID...]        the tests of other reactive languages
//   FRPSoak growth FROM TO       whether checking short programs that ask for much work ends soon; showgrowth SEED: one of them
//   FRPSoak mistakes FROM TO     whether programs with mistakes are told of, and soon; showmistakes SEED: one of them
//   FRPSoak laws FROM TO [NAME]  the laws of the language on random programs
//   FRPSoak snapshots FROM TO [CHANGES]   snapshots of random programs, restored as they are and changed, 1,000 times each
//   FRPSoak world FROM TO        runs with a journal on simulated machines that fail, stop and start again
//   FRPSoak journals FROM TO     the same with random programs
//   FRPSoak showworld SEED       one of them, call by call; showjournal: of a random program
//   FRPSoak coverage COUNT       which built-ins that many random programs use
//   FRPSoak stats                what random programs are worth
//   FRPSoak acceptance [NAME...] model and engine against the acceptance programs and the corpus

import FRPBase
import FRPCore
import FRPDifferential
import FRPModel
import FRPSema
import FRPSimulatedWorld
import FRPTestFiles
import Glibc

let words = Array(CommandLine.arguments.dropFirst())

/// The random program of a seed that a command is about: `show`, `showwide`, `wide`, `shrinkhybrid`, …
func program(_ command: String, _ seed: UInt64) -> GeneratedProgram {
  if command.contains("nesting") { return Nestings.program(seed) }
  if command.contains("motion") { return Nestings.program(seed, about: .motions) }
  if command.contains("slide") || command.contains("sliding") { return Generator.sliding(seed: seed) }
  if command.contains("rounding") { return Generator.rounding(seed: seed) }
  if command.contains("chain") { return CallChains.program(seed) }
  return switch (command.contains("wide"), command.contains("hybrid")) {
  case (false, false): Generator.program(seed: seed)
  case (false, true): Generator.hybrid(seed: seed)
  case (true, false): Generator.wide(seed: seed)
  case (true, true): Generator.wideHybrid(seed: seed)
  }
}

func fail(_ text: String) -> Never {
  print(text)
  exit(1)
}

/// Simulated machines of these seeds.
func worlds(_ words: [String]) {
  // What a run does may not depend on how keys are hashed.
  if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
  }
  let first = UInt64(words[1]) ?? 0
  var (failures, tally) = (0, Tally())
  let problem = words[0].contains("journal") ? RandomRun.problem : SimulatedWorld.problem
  if words[0].hasPrefix("show") {
    print(onLargeStack { problem(first, true, &tally) } ?? "")
    return
  }
  let last = UInt64(words[2]) ?? 0
  onLargeStack {
    for seed in first...max(first, last) {
      guard let problem = problem(seed, false, &tally) else { continue }
      failures += 1
      print("seed \(seed): \(problem)\n")
      fflush(nil)
    }
  }
  print("\(tally.text): \(failures) failures")
}

switch words.first {
case "soak":
  exit(Soak.run(minutes: words.count > 1 ? Double(words[1]) ?? 60 : 60) ? 0 : 1)
case "acceptance":
  for programs in [ExpectedPrograms.acceptance, .corpus] {
    for name in programs.names where words.count < 2 || words.contains(name) {
      for engine in [false, true] {
        guard let problem = programs.problem(name, engine: engine) else { continue }
        print("\(name) (\(engine ? "engine" : "model")): \(problem)")
      }
    }
  }
case "rx":
  var passed = 0
  for test in RxCase.all where words.count < 2 || words.contains("\(test.id)") {
    let problem = test.problem(engine: true)
    if problem == nil { passed += 1 }
    if (problem == nil) == (RxCase.differs[test.id] != nil) {
      print("\(test.id): \(problem ?? "agrees, though it is listed")")
    }
  }
  print("\(passed) of \(RxCase.all.count) agree, \(RxCase.differs.count) are listed")
case "peers":
  var passed = 0
  for test in PeerCase.all where words.count < 2 || words.contains("\(test.id)") {
    let problem = test.problem(engine: !words.contains("model"))
    if problem == nil { passed += 1 }
    if (problem == nil) == (test.differs != nil) { print("\(test.id): \(problem ?? "agrees, though it is listed")") }
  }
  print("\(passed) of \(PeerCase.all.count) agree, \(PeerCase.all.filter { $0.differs != nil }.count) are listed")
case "coverage" where words.count > 1:
  var coverage = Coverage()
  for seed in 0..<(UInt64(words[1]) ?? 0) { coverage.add(Compiled(Generator.program(seed: seed).source)) }
  for row in coverage.unused { print("\(row.container).\(row.name): \(Coverage.reason(row) ?? "NEVER USED")") }
  let rare = zip(Builtins.all, coverage.uses).filter { $0.1 > 0 }.sorted { $0.1 < $1.1 }.prefix(20)
  print("rarest: \(rare.map { "\($0.0.container).\($0.0.name) \($0.1)" }.joined(separator: ", "))")
case "laws" where words.count > 2:
  for law in Law.all where words.count < 4 || law.name.hasPrefix(words[3]) {
    var (holds, broken) = (0, 0)
    for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
      switch onLargeStack({ law.verdict(seed) }) {
      case .holds: holds += 1
      case .skipped: break
      case .broken(let why):
        broken += 1
        print("\(law.name), seed \(seed): \(why)")
      }
    }
    print("\(law.name): holds for \(holds), broken for \(broken)")
  }
case "growth" where words.count > 2:
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let text = Growth.program(seed: seed)
    if let problem = onLargeStack({ Growth.problem(text) }) { print("seed \(seed): \(problem)\n\(text)") }
    fflush(nil)
  }
case "mistakes" where words.count > 2:
  var failures = 0
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let text = Mistakes.program(seed: seed)
    guard let problem = onLargeStack({ Growth.problem(text) }) else { continue }
    failures += 1
    print("seed \(seed): \(problem)\n\(text)")
    fflush(nil)
  }
  print("\(failures) failures")
case "showmistakes" where words.count > 1: print(Mistakes.program(seed: UInt64(words[1]) ?? 0))
case "showgrowth" where words.count > 1: print(Growth.program(seed: UInt64(words[1]) ?? 0))
case "stats":
  var (lines, faults, silent) = (0, 0, 0)
  for seed in 0..<200 {
    guard let run = onLargeStack({ Differential.model(Generator.program(seed: UInt64(seed))) }) else { continue }
    lines += run.lines.count
    faults += run.faults.isEmpty ? 0 : 1
    silent += run.lines.count < 2 ? 1 : 0
  }
  print("200 programs: \(lines) lines, \(faults) with faults, \(silent) silent")
case "run" where words.count > 1:
  let compiled = Compiled(TestFiles.read(words[1]) ?? "", name: words[1])
  guard let core = compiled.core else { fail(compiled.problems) }
  let trace = words.count > 2 ? TraceLine.parse(TestFiles.read(words[2]) ?? "") : []
  let run = onLargeStack { Model(core).run(trace ?? []) }
  for line in run.lines { print(Expectations.describe(line)) }
  for fault in run.faults { print("fault at \(fault.seconds) in \(fault.definition): \(fault.message)") }
case "engine" where words.count > 2, "calls" where words.count > 2:
  // `calls`: with every function that can be called, none put in.
  guard let core = Compiled(TestFiles.read(words[1]) ?? "", calls: words[0] == "calls" ? .calls : .bySize).core else {
    fail("does not compile")
  }
  let run = onLargeStack { Engine.run(core, TraceLine.parse(TestFiles.read(words[2]) ?? "") ?? []) } ?? ModelRun()
  for line in run.lines { print(Expectations.describe(line)) }
  for fault in run.faults { print("fault at \(fault.seconds) in \(fault.definition): \(fault.message)") }
case "core" where words.count > 1:
  let compiled = Compiled(TestFiles.read(words[1]) ?? "", name: words[1])
  print(compiled.core?.describe() ?? compiled.problems)
case "show", "showhybrid", "showwide", "showwidehybrid", "shownesting", "showchain", "showmotion", "showslide",
  "showrounding":
  guard words.count > 1 else { fail("which seed?") }
  let program = program(words[0], UInt64(words[1]) ?? 0)
  print(program.source + "\n" + program.traceText)
case "check" where words.count > 2, "checkwide" where words.count > 2, "checkwidehybrid" where words.count > 2,
  "checknestings" where words.count > 2, "checkchains" where words.count > 2, "checkmotions" where words.count > 2:
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let program = program(words[0], seed)
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
case "seeds" where words.count > 2, "hybrids" where words.count > 2, "wide" where words.count > 2,
  "widehybrids" where words.count > 2, "nestings" where words.count > 2, "chains" where words.count > 2,
  "motions" where words.count > 2, "slides" where words.count > 2, "roundings" where words.count > 2:
  var failures = 0
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let program = program(words[0], seed)
    guard let difference = onLargeStack({ Differential.check(program, turn: Int(program.seed % 1_000)) }) else {
      continue
    }
    failures += 1
    print("seed \(seed): \(difference)")
    // Whoever ends a long run wants to see what it found.
    fflush(nil)
  }
  print("\(failures) failures")
case "pulses" where words.count > 2:
  var failures = 0
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    guard let problem = onLargeStack({ Pulse(seed: seed).problem() }) else { continue }
    failures += 1
    print("seed \(seed): \(problem)")
    fflush(nil)
  }
  print("\(failures) failures")
case "showpulse" where words.count > 1:
  let pulse = Pulse(seed: UInt64(words[1]) ?? 0)
  print("\(pulse.source)// \(pulse.rise) to \(pulse.fall), within \(pulse.tolerance); run until \(pulse.end)")
case "snapshots" where words.count > 2:
  var (made, taken, failures) = (0, 0, 0)
  for seed in (UInt64(words[1]) ?? 0)...(UInt64(words[2]) ?? 0) {
    let kinds = ["", "wide", "hybrid", "", "wide", "slide", "", "wide", "widehybrid"]
    let kind = kinds[Int(seed % UInt64(kinds.count))]
    let isSettled = kind == "slide" || seed.isMultiple(of: 2)
    let changes = words.count > 3 ? Int(words[3]) ?? 0 : 1_000
    let tally = onLargeStack { Snapshots.check(program(kind, seed), changes: changes, isSettled: isSettled) }
    made += tally.changes
    taken += tally.taken
    guard let problem = tally.problem else { continue }
    failures += 1
    print("seed \(seed): \(problem)")
    fflush(nil)
  }
  print("\(made) changes, \(taken) taken, \(failures) failures")
case "world" where words.count > 2, "journals" where words.count > 2, "showworld" where words.count > 1,
  "showjournal" where words.count > 1:
  worlds(words)
case "shrink", "shrinkhybrid", "shrinkwide", "shrinkwidehybrid", "shrinknesting", "shrinkchain", "shrinkmotion",
  "shrinkslide", "shrinkrounding", "shrinkbytes":
  for word in words.dropFirst() {
    let choices = words[0] == "shrinkbytes" ? TestFiles.bytes(word) : nil
    let program = choices.map(Generator.program(choices:)) ?? program(words[0], UInt64(word) ?? 0)
    let turn = choices?.count ?? Int(program.seed % 1_000)
    guard let kind = onLargeStack({ Differential.kind(program, turn: turn) }) else { continue }
    let small = onLargeStack { Shrinker.shrink(program) { Differential.kind($0, turn: turn) == kind } }
    print(
      "// seed \(word)\n" + small.source + small.traceText
        + (onLargeStack { Differential.check(small, turn: turn) } ?? "agrees")
        + "\n")
  }
case "diff" where words.count > 2:
  print(
    onLargeStack {
      Differential.difference(TestFiles.read(words[1]) ?? "", TestFiles.read(words[2]) ?? "", settings: .allAndNone)
    } ?? "agrees"
  )
default:
  print("FRPSoak soak [MINUTES] | run FILE [TRACE] | core FILE | … (see Checking/Soak/main.swift)")
}
