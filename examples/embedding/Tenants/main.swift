// A service for a thousand tenants that is stopped and started again: each tenant has a run of one program, and a file that
// keeps it. The second process goes on where the first one was, timers and calls of the host under way included.
//
// `Tenants FOLDER` is the service: it restores what the folder has, does a day's work, and keeps everything. Without a
// folder it is the day's operator: it makes one, and starts the service in it three times.

import FRP
import Glibc

let ledger = HostModule("Ledger", help: "Where invoices are written down.") {
  $0.task("invoice", "tenant", "cents", help: "Writes an invoice; its number.") { (tenant: String, cents: Int) async in
    "\(tenant)-\(cents)"
  }
}
let program = Program(
  Source(
    name: "tenant.frp",
    text: """
      // What a tenant uses is counted, and invoiced an hour after the last use; there is a warning from 50 on.
      input name: Behavior<String> = ""
      input use: Event<Int>
      output used = use |> fold(0, (+))
      output warnings = when(used >= 50) |> count
      invoices = use |> debounce(1h) |> perform(Queue, _ => Ledger.invoice(name, used * 3))
      output invoice = invoices.results |> filterMap(ok) |> hold("none")
      output open = invoices.busy
      """), host: [ledger])
let name = try program.behaviorInput("name", of: String.self)
let use = try program.eventInput("use", of: Int.self)
let used = try program.behavior("used", of: Int.self)
let warnings = try program.behavior("warnings", of: Int.self)
let invoice = try program.behavior("invoice", of: String.self)

/// One tenant: its run, and its file.
struct Tenant {
  let number: Int
  let path: String
  let run: Simulation
  let isNew: Bool

  /// The state that its file keeps, or a new run. What a run may use is bounded, and a stack of 64 KiB is enough.
  init(_ number: Int, in folder: String) throws {
    self.number = number
    path = "\(folder)/\(number).state"
    var limits = Limits()
    limits.stackWords = 1 << 13
    limits.heapBytes = 4 << 20
    limits.stepsPerInstant = 100_000
    isNew = access(path, F_OK) != 0
    if isNew {
      run = try Simulation(program, limits: limits)
      run.start()
      try run.set(name, to: "tenant \(number)")
    } else {
      // Nothing of a file is believed: one that is no state of this program is refused in words.
      run = try Simulation(program, restoring: try Snapshot(bytes: try Source(contentsOf: path).bytes), limits: limits)
    }
  }

  /// The state takes the place of the one before it as a whole, or not at all.
  func keep() throws {
    let bytes = try run.snapshot().bytes
    let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let isWritten = file >= 0 && write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0 && close(file) == 0
    if !isWritten || rename(path + ".new", path) != 0 { throw FrpError("cannot keep tenant \(number)") }
  }
}

/// A day of the service: whoever has no invoice coming uses something. Half of the tenants leave the end of the hour to the
/// next day, that is to the next process; the others leave their invoice under way.
func serve(_ folder: String) async throws {
  let tenants = try (1...1000).map { try Tenant($0, in: folder) }
  let restored = tenants.filter { !$0.isNew }
  let underWay = restored.reduce(0) { $0 + $1.run.tasks.count }
  print("\(restored.count) tenants restored, \(underWay) invoices under way")
  for tenant in tenants {
    let run = tenant.run
    if run.nextWakeUp == nil {
      for amount in 1...5 { try run.send(amount * (tenant.number % 3 + 1), to: use) }
    }
    // What was under way when the service was stopped begins again.
    for task in run.tasks { try run.end(task.id, with: await task.run()) }
    run.advance(by: tenant.number % 2 == 0 ? 3600 : 1800)
  }
  for tenant in tenants { try tenant.keep() }
  let total = try tenants.reduce(0) { $0 + (try $1.run.value(of: used)) }
  let warned = try tenants.reduce(0) { $0 + (try $1.run.value(of: warnings)) }
  print(
    "used \(total), \(warned) warnings, tenant 7: \(try tenants[6].run.value(of: invoice)), tenant 8: ", terminator: "")
  print(try tenants[7].run.value(of: invoice))
}

if let folder = CommandLine.arguments.dropFirst().first {
  try await serve(folder)
} else {
  var template = Array("/tmp/frp-tenants-XXXXXX".utf8CString)
  guard let made = mkdtemp(&template) else { throw FrpError("no folder can be made") }
  let folder = String(cString: made)
  for _ in 1...3 {
    fflush(nil)
    var process = pid_t()
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(CommandLine.arguments[0]), strdup(folder), nil]
    guard posix_spawn(&process, "/proc/self/exe", nil, nil, &arguments, environ) == 0 else {
      throw FrpError("no process")
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    if status != 0 { throw FrpError("the service has failed") }
  }
  for number in 1...1000 { unlink("\(folder)/\(number).state") }
  rmdir(folder)
}
