// `frp serve FILE`: a running program as a page in a browser.

import FRP
import FRPBase
import FRPIO
import FRPWorld

enum ServeCommand {
  static func run(_ invocation: Invocation, _ console: Console) -> ExitCode {
    let signals = SignalWatch()
    defer { signals.stop() }
    do {
      let (name, rooms) = try rooms(invocation, console)
      return try serve(name, rooms, invocation, console, signals)
    } catch let problem as PageSession.PageProblem {
      return tell(problem, invocation, console)
    } catch {
      console.err.writeLine("frp: \((error as? IOError)?.message ?? "\(error)")")
      return .wrongUsage
    }
  }

  /// What is served, and its name.
  private static func rooms(_ invocation: Invocation, _ console: Console) throws -> (name: String, rooms: PageRooms) {
    let path = invocation.operands.first ?? "-"
    // The session's definitions have no folder of their own; imports are beside the file.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    var surroundings = invocation.surroundings
    surroundings.modules = surroundings.modules.below(String(path.dropLast(name.count + 1)))
    if invocation.has("--save"), invocation.has("--lesson") || invocation.has("--recording") {
      throw IOError("--save is for a program: what is read here is none that could be saved")
    }
    guard invocation.has("--lesson") else {
      let bytes: [UInt8]
      do { bytes = try Files.contents(of: path) } catch {
        throw IOError("cannot read `\(path)`: \(error.message)")
      }
      invocation.world?.page.open()
      if invocation.has("--recording") {
        guard let recording = PageRecording(bytes) else {
          throw IOError("`\(path)` is no recording of `frp journal DIR --export`")
        }
        surroundings.modules = JournalState(texts: recording.texts, state: nil, run: "").modules
        let page = try PageSession(name: recording.texts[0].name, recording, console, surroundings)
        return (name, PageRooms(PageRoom(page, invocation.world)))
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let page = try PageSession(name: name, text: text, console, surroundings)
      page.file = PageFile(path, text, isWritable: invocation.has("--save"))
      if invocation.has("--save"), page.file == nil {
        throw IOError("--save: `\(path)` is no file that a text can be saved in")
      }
      return (name, PageRooms(PageRoom(page, invocation.world)))
    }
    let lesson = try Lesson(path: path)
    let rooms = PageRooms(lesson) { [surroundings] text, number in
      // Keys and the pointer are for the program that they are over.
      var surroundings = surroundings
      surroundings.world = surroundings.world.map { World(beside: $0) }
      surroundings.world?.page.open()
      let page = PageSession(draft: text, name: "program \(number + 1)", console, surroundings)
      return PageRoom(page, surroundings.world)
    }
    return (name, rooms)
  }

  private static func serve(
    _ name: String, _ rooms: PageRooms, _ invocation: Invocation, _ console: Console, _ signals: SignalWatch
  ) throws -> ExitCode {
    let server = PageServer(rooms, letsViewersIn: invocation.has("--viewers"))
    defer { server.close() }
    let place = try place(invocation)
    let address = try server.listen(on: place.address, port: place.port, place.grants)
    console.out.writeLine("\(name) runs at \(address)#\(server.token)")
    if invocation.has("--viewers") { console.out.writeLine("for viewers: \(address)#\(server.viewersToken)") }
    console.out.flush()
    server.run(until: { signals.exitCode != nil }, signals.descriptor)
    return .success
  }

  /// Where the page is served: this machine only, unless a grant says otherwise.
  private static func place(_ invocation: Invocation) throws -> (address: IPAddress, port: Int, grants: Grants) {
    let port = try invocation.value("--port").map(port) ?? 0
    var grants = Grants()
    let granted = invocation.values("--allow-listen")
    for value in granted { try grants.add(.listen, value) }
    if let first = grants.listen.first { return (first.address, first.port, grants) }
    try grants.add(.listen, "127.0.0.1:\(port)")
    guard let loopback = IPAddress(bytes: [127, 0, 0, 1]) else { preconditionFailure("four bytes are an address") }
    return (loopback, port, grants)
  }

  private static func port(_ text: String) throws -> Int {
    guard let port = Int(text), 0...65_535 ~= port else {
      throw IOError("a port is a number up to 65535, not `\(text)`")
    }
    return port
  }

  private static func tell(_ problem: PageSession.PageProblem, _ invocation: Invocation, _ console: Console) -> ExitCode
  {
    switch problem {
    case .errors(let text): Reporter(invocation, console).report(text.diagnostics, text.sources)
    case .said(let words): console.err.writeLine(words)
    }
    return .programHasErrors
  }
}
