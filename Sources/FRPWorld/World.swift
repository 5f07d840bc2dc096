// The world as modules of the language: each file of Modules declares one, over what FRPIO does. To add one: a file with an
// extension of `World` that makes a HostModule, and a row of `makers`.
//
// In: what was granted. Out: host modules, which programs that name them are compiled with.

import FRP
import FRPIO

/// What programs can reach outside of themselves, within the grants of a run.
public final class World: Sendable {
  /// What was granted; what it names is open from the beginning.
  let access: Access
  public var grants: Grants { access.grants }
  let server: WorldServer
  let sockets = WorldSockets()
  let eventPlaces = EventPlaces()
  let databases: Databases
  /// What comes from whoever looks at the program's page.
  public let page = PageFeed()

  /// A world in which so much is granted. Throws a sentence about a grant that cannot be held.
  public init(_ grants: Grants = Grants()) throws(FrpError) {
    do throws(IOError) { access = try Access(grants) } catch { throw FrpError(error.message) }
    server = WorldServer(grants)
    databases = Databases(access)
  }

  /// A world with the same grants as another's, for a program beside that one's: its page and what it serves are its own.
  public init(beside other: World) {
    access = other.access
    server = WorldServer(other.grants)
    databases = Databases(access)
  }

  /// Gives back what would outlive the process half done: databases are closed, so that all of what was written stands in their files.
  public func close() { databases.close() }

  /// Lets whoever connects wait until `open`: where a program begins to serve one path after the other, none of them is missing.
  public func hold() { server.hold() }

  /// All that a program serves at its start is there.
  public func open() { server.open() }

  /// What a program serves goes, and will be back in another process.
  public func leave() { server.leave() }

  /// What a program serves goes for good; who has asked may still be answered, until `turnAway`.
  public func end() { server.end() }

  /// Nobody answers any more who has asked.
  public func turnAway() { server.turnAway() }

  /// What earlier processes of the run have numbered: requests and WebSockets get other numbers from now on, and those that were open have left.
  public func goOn(after past: ServerPast) { server.goOn(after: past) }

  /// Gives at a path what a call of `Serve.value` gave there in an earlier process.
  public func serve(_ path: String, json: String) {
    if let server = try? server.server() { _ = server.serve(path, json: Array(json.utf8)) { _ in } }
  }

  /// By the module's name, in the order of the manual.
  private static let makers: [(name: String, make: @Sendable (World) -> HostModule)] = [
    ("Http", { $0.http }), ("Ws", { $0.ws }), ("Serve", { $0.serve }), ("Files", { $0.files }),
    ("Process", { $0.process }), ("Db", { $0.db }), ("Mqtt", { $0.mqtt }),
    ("Clock", { $0.clock }), ("Env", { $0.env }), ("Signals", { $0.signals }),
    ("Page", { $0.pageModule }),
  ]

  /// The names of all modules.
  public static var names: [String] { makers.map(\.name) }

  /// The modules of these names; all of them without.
  public func modules(_ names: Set<String>? = nil) -> [HostModule] {
    Self.makers.filter { names?.contains($0.name) ?? true }.map { maker in
      var module = maker.make(self)
      module.isOnDemand = true
      module.isOfWorld = true
      return module
    }
  }
}
