// SQLite: one connection for each file, on a thread of its own.
//
// Rules
// - `query` needs a grant to read, `exec` one to write. Without the latter the connection cannot write, and makes no file.
// - Parameters are `:names`, each with a value of its own; nothing is put into the text.
// - What `exec` is given is done whole or not at all, also where it is several statements. It is on the disk when the call
//   ends (WAL, synchronous FULL).
// - A call with a name leaves it in the same transaction, in the table `frp_calls`: where the process was killed, and the call
//   begins again, it gives what it gave. Names of calls that never begin again are removed by the next.
// - Other connections may lock the file; one waits for them for five seconds.

import CSQLite
import Glibc
import Synchronization

/// Databases of a run, within its grants.
public final class Databases: Sendable {
  /// 64 MiB: an answer is a value of the program.
  public static let limit = 64 << 20

  /// Which file it is, by whatever path.
  private struct Key: Hashable {
    var directory: FileIdentity
    var name: [UInt8]
  }

  private let access: Access
  private let connections = Mutex<[Key: Connection]>([:])

  public init(_ access: Access) { self.access = access }

  /// The rows of one statement.
  public func query(
    _ path: String, _ sql: String, parameters: [String: SQLValue], limit: Int = Databases.limit,
    completion: @escaping Completion<SQLRows>
  ) -> any Operation {
    perform(path, .read, completion) { database throws(IOError) in try database.query(sql, parameters, limit: limit) }
  }

  /// Runs one statement or several, and gives how many rows were changed. With a name, what was done under it is not done again.
  public func exec(
    _ path: String, _ sql: String, parameters: [String: SQLValue], once call: SQLCall? = nil,
    completion: @escaping Completion<Int>
  ) -> any Operation {
    perform(path, .write, completion) { database throws(IOError) in
      guard let call, !database.begins(sql) else { return try database.exec(sql, parameters) }
      return try database.exec(sql, parameters, once: call)
    }
  }

  /// Closes all files, of which nothing more is wanted: their logs become part of them. Waits for that, but not for ever.
  public func close() {
    let open = connections.withLock { connections in
      defer { connections = [:] }
      return Array(connections.values)
    }
    for connection in open { connection.close() }
  }

  private func perform<Value: Sendable>(
    _ path: String, _ purpose: Access.Purpose, _ completion: @escaping Completion<Value>,
    _ body: @escaping @Sendable (Database) throws(IOError) -> Value
  ) -> any Operation {
    let call = Call(completion)
    do throws(IOError) {
      // Where the file is, is found where the call is made; nothing here blocks for long.
      let spot = try access.spot(path, purpose)
      guard let identity = spot.directory.status?.identity else { throw IOError(errno, path) }
      let connection = connections.withLock { connections in
        let key = Key(directory: identity, name: spot.name)
        if let known = connections[key] { return known }
        let made = Connection(spot, path, canWrite: (try? access.spot(path, .write)) != nil)
        connections[key] = made
        return made
      }
      connection.run(call, mayMake: purpose == .write, body)
    } catch { call.fail(error) }
    return call
  }
}

/// A file, its thread, and the database while it is open.
private final class Connection: Sendable {
  private let spot: Spot
  private let path: String
  private let canWrite: Bool
  private let workers = Workers(threads: 1)
  /// Of the thread alone.
  private let database = Handed<Database?>(nil)

  init(_ spot: Spot, _ path: String, canWrite: Bool) { (self.spot, self.path, self.canWrite) = (spot, path, canWrite) }

  func run<Value: Sendable>(
    _ call: Call<Value>, mayMake: Bool, _ body: @escaping @Sendable (Database) throws(IOError) -> Value
  ) {
    workers.run {
      if !call.isPending { return }
      self.database.with { database in
        do throws(IOError) {
          let opened = try self.open(&database, mayMake: mayMake)
          opened.isWanted = { call.isPending }
          defer { opened.isWanted = { true } }
          call.succeed(try body(opened))
        } catch { call.fail(error) }
      }
    }
  }

  /// Closes the database behind what is under way. SQLite waits for nobody here: what others have locked they close.
  func close() {
    let done = Permits()
    workers.run {
      self.database.with { $0 = nil }
      done.give()
    }
    done.take(within: Self.patience)
  }

  /// Seconds for a disk that is slow.
  private static let patience = 10

  /// The database, opened anew where another file has taken its place.
  private func open(_ present: inout Database?, mayMake: Bool) throws(IOError) -> Database {
    var status = stat()
    let exists = spot.directory.with { fstatat($0, spot.name.systemName, &status, AT_SYMLINK_NOFOLLOW) } == 0
    if let present, exists, present.identity == status.identity { return present }
    present = nil
    if !exists && !mayMake { throw IOError(ENOENT, path) }
    if exists && !status.isRegular { throw IOError(status.isDirectory ? EISDIR : EINVAL, path) }
    if exists, !canWrite, hasWAL() {
      throw IOError(IOError(notGranted: .write(path)).message + ", which its readers need as well: it has a WAL")
    }
    let made = try Database(spot, path, canWrite: canWrite)
    present = made
    return made
  }

  /// Whether its readers write to files beside it.
  private func hasWAL() -> Bool {
    let number = spot.directory.with {
      openat($0, spot.name.systemName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    }
    if number < 0 { return false }
    defer { Glibc.close(number) }
    var header = [UInt8](repeating: 0, count: 20)
    return pread(number, &header, header.count, 0) == header.count && header[18] == 2
  }
}
