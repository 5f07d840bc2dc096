// `--record FILE`: what comes from outside during a run, as a trace that runs again without the world.
//
//   {"at":0,"@run":{"seed":…,"epoch":…,"set":{…}}}                                 first
//   {"at":1.5,"x":3}                                                               an input
//   {"at":1.0,"@begun":"Http.get","args":["…"],"n":1}                              a call begins
//   {"at":1.25,"@ended":"Http.get","args":["…"],"n":1,"ok":…}                      and ends, or "err"
//   {"at":1.5,"@opened":"Ws.messages","args":[…],"n":1}                            a source is there, and has brought nothing yet
//   {"at":1.5,"@retrying":"Http.events","args":["…"],"n":1,"err":"…"}              it is lost, and goes on by itself
//   {"at":2.0,"@arrived":"Ws.messages","args":[…],"n":1,"ok":…}                    a source brings a value
//   {"at":9.0}                                                                     last
//
// Lines stand in the order in which they happened. n counts the calls of a name with the same arguments. A journal has the numbers of
// calls in their run in the place of these, which find them again after a pause: "id":3.

import FRP
import FRPBase
import FRPGraph
import FRPRuntime
import Glibc

final class Recorder {
  private let simulation: Simulation
  private let write: (String) -> Void
  /// Hands over what is written so far.
  let handOver: () -> Void
  /// Whether lines have the numbers of calls in their run.
  private let numbersCalls: Bool
  private var counts = CallCounts()
  /// Calls under way, as they are written; those that were cancelled are looked for when there are so many.
  private var calls: [HostTask.ID: String] = [:]
  private var callsToLookThrough = 64
  /// Why the file could not be written; 0 where it could.
  var failure: () -> Int32 = { 0 }

  /// Writes into a file.
  convenience init(_ path: String, _ simulation: Simulation) throws(PortProblem) {
    let out: Writer
    do { out = Writer(descriptor: try Files.open(path, O_WRONLY | O_CREAT | O_TRUNC)) } catch {
      throw PortProblem(message: "cannot write `\(path)`: \(error.message)")
    }
    self.init(simulation, numbersCalls: false, handOver: out.flush, write: out.writeLine)
    failure = { out.failure }
  }

  init(
    _ simulation: Simulation, numbersCalls: Bool, handOver: @escaping () -> Void = {},
    write: @escaping (String) -> Void
  ) {
    (self.simulation, self.numbersCalls, self.handOver, self.write) = (simulation, numbersCalls, handOver, write)
  }

  /// The first line, before the run begins.
  func begin(seed: UInt64) { line("\"@run\":\(Self.run(simulation, seed: seed))") }

  /// How a run begins: `{"seed":…,"epoch":…,"set":{…}}`.
  static func run(_ simulation: Simulation, seed: UInt64) -> String {
    let plan = simulation.reactor.plan
    let settings = simulation.reactor.startValues.sorted { $0.key < $1.key }.map { port, word in
      "\(jsonString(plan.inputs[port].name)):\(simulation.json(word, ofInput: port))"
    }
    return "{\"seed\":\(seed),\"epoch\":\(simulation.epoch),\"set\":{\(settings.joined(separator: ","))}}"
  }

  /// A value of an input is about to happen.
  func record(_ port: Int, _ word: Word) {
    let name = jsonString(simulation.reactor.plan.inputs[port].name)
    line("\(name):\(simulation.json(word, ofInput: port))")
  }

  /// A call of the world begins.
  func begun(_ task: HostTask) {
    let name = CallCounts.name(of: task)
    let call = name + (numbersCalls ? ",\"id\":\(task.id)" : ",\"n\":\(counts.next(name))")
    calls[task.id] = call
    line("\"@begun\":\(call)")
    if calls.count > callsToLookThrough { forgetCancelled() }
  }

  private func forgetCancelled() {
    let live = Set(simulation.tasks.map(\.id))
    calls = calls.filter { live.contains($0.key) }
    callsToLookThrough = max(64, 2 * calls.count)
  }

  /// What a call reports is about to happen.
  func record(_ report: HostReport, _ id: HostTask.ID) {
    guard let call = calls[id] else { return }
    switch report {
    case .opened: line("\"@opened\":\(call)")
    case .retrying(let why): line("\"@retrying\":\(call),\"err\":\(jsonString(why))")
    case .items(let bodies): for item in bodies.items { record(item, id) }
    case .item(let answer, _):
      if let ok = simulation.recording(of: answer, of: id) { line("\"@arrived\":\(call),\"ok\":\(ok)") }
    case .ended(.success(let answer)):
      calls[id] = nil
      line("\"@ended\":\(call),\"ok\":\(simulation.recording(of: answer, of: id) ?? "null")")
    case .ended(.failure(let error)):
      calls[id] = nil
      line("\"@ended\":\(call),\"err\":\(jsonString(error.message))")
    }
  }

  /// The last line, at the end of the run.
  func finish() {
    line("")
    handOver()
  }

  private func line(_ content: String) {
    let at = Recorder.seconds(simulation.reactor.now.nanoseconds)
    write("{\"at\":\(at)\(content.isEmpty ? "" : ",")\(content)}")
  }

  /// As a JSON object, in the order of the names.
  static func numbers(_ numbers: [String: Int]) -> String {
    "{\(numbers.sorted { $0.key < $1.key }.map { "\(jsonString($0.key)):\($0.value)" }.joined(separator: ","))}"
  }

  /// All digits of a moment.
  static func seconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(whole)" }
    var digits = String(rest + 1_000_000_000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}

/// Which call of a name with the same arguments one is. Costs 40 bytes for each that differs: arguments may be long, so they are known by 128 bits
/// of two hashes with keys that nobody outside of the process can know.
struct CallCounts {
  private struct Key: Hashable {
    var first: Int
    var second: Int
  }
  private var counts: [Key: Int] = [:]

  /// `"Http.get","args":["…"]`
  static func name(of task: HostTask) -> String {
    "\(jsonString(task.name)),\"args\":\(FrpValue.list(task.arguments).json)"
  }

  /// The number of the next call of this name with these arguments: from 1 on.
  mutating func next(_ name: String) -> Int {
    func hash(_ salt: Int) -> Int {
      var hasher = Hasher()
      hasher.combine(salt)
      hasher.combine(name)
      return hasher.finalize()
    }
    let key = Key(first: hash(1), second: hash(2))
    counts[key, default: 0] += 1
    return counts[key] ?? 1
  }
}
