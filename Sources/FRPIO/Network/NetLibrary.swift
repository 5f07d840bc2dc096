// libfrp-net on the loop: it is loaded when it is first needed, and its descriptors and its timer are the loop's.
//
// Rules
// - Everything but `Network.load` happens on the loop's thread.
// - A connection that is idle stays watched: taking it out of epoll and putting it back for each request would be two system
//   calls more. Should something come meanwhile, it is taken out then.

import CNet
import Glibc

/// What the program needs to reach hosts.
public enum Network {
  /// Loads libfrp-net, which takes some milliseconds; what is wrong, if it cannot be loaded. Any thread, any number of times.
  public static func load() -> IOError? {
    switch NetLibrary.loaded {
    case .success: nil
    case .failure(let error): error
    }
  }

  /// The file that is loaded.
  public static let libraryName = "libfrp-net.so"
  /// Where it is; nil if it cannot be found.
  public static var libraryPath: String? { NetLibrary.path }
}

final class NetLibrary {
  struct Functions: @unchecked Sendable { let table: UnsafePointer<frp_net_functions> }

  static let loaded: Result<Functions, IOError> = load()

  private static let instance = LoopLocal<NetLibrary?>(nil)

  /// The library on this loop.
  static func onLoop() throws(IOError) -> NetLibrary {
    try instance.with { existing throws(IOError) -> NetLibrary in
      if let existing { return existing }
      let made = try NetLibrary(loaded.get())
      existing = made
      return made
    }
  }

  let functions: frp_net_functions
  private(set) var net: OpaquePointer?
  private var descriptors: [Int32: Descriptor] = [:]
  private var timer: IOTimer?

  private struct Descriptor {
    let watch: IOWatch
    /// What is waited for, and what the loop has been told.
    var wanted: Interest
    var told: Interest
  }

  private init(_ loaded: Functions) throws(IOError) {
    functions = loaded.table.pointee
    var host = frp_net_host()
    host.watch = { NetLibrary.from($0).watch($1, $2) }
    host.set_timer = { NetLibrary.from($0).setTimer($1) }
    host.context = Unmanaged.passUnretained(self).toOpaque()
    net = functions.open(&host)
    if net == nil { throw IOError("the network: no memory") }
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> NetLibrary {
    Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  private func watch(_ descriptor: Int32, _ events: Int32) {
    if events < 0 {
      descriptors.removeValue(forKey: descriptor)?.watch.cancel()
      return
    }
    let wanted = Interest(rawValue: UInt8(events))
    guard var known = descriptors[descriptor] else {
      if !wanted.isEmpty { add(descriptor, wanted) }
      return
    }
    known.wanted = wanted
    if !wanted.isEmpty && wanted != known.told {
      try? known.watch.set(wanted)
      known.told = wanted
    }
    descriptors[descriptor] = known
  }

  private func add(_ descriptor: Int32, _ wanted: Interest) {
    let watch = try? IOLoop.shared.watch(descriptor, wanted) { [unowned self] in ready(descriptor, $0) }
    if let watch { descriptors[descriptor] = Descriptor(watch: watch, wanted: wanted, told: wanted) }
  }

  private func ready(_ descriptor: Int32, _ ready: Ready) {
    guard let known = descriptors[descriptor] else { return }
    var events: Int32 = 0
    if known.wanted.contains(.reading), ready.contains(.readable) { events |= Int32(FRP_NET_READ) }
    if known.wanted.contains(.writing), ready.contains(.writable) { events |= Int32(FRP_NET_WRITE) }
    if events != 0 { return functions.ready(net, descriptor, events) }
    try? known.watch.set(known.wanted)
    descriptors[descriptor]?.told = known.wanted
  }

  // MARK: Places

  /// Requests to one host and port that are under way, and those that wait for their turn: a transfer of libcurl takes
  /// 15 KB and more, one that waits here next to nothing.
  private struct Place {
    var active = 0
    var waiting: [Transfer] = []
    var first = 0
  }

  private var places: [String: Place] = [:]
  /// As many as libcurl has connections for.
  private static let activeLimit = 256

  /// Whether the transfer may go now; else it is called (`start`) when its turn comes.
  func enter(_ place: String, _ transfer: Transfer) -> Bool {
    let isFree = places[place, default: Place()].active < Self.activeLimit
    if isFree { places[place, default: Place()].active += 1 } else { places[place]?.waiting.append(transfer) }
    return isFree
  }

  /// One that was under way is over.
  func leave(_ place: String) {
    guard var known = places[place] else { return }
    var next: Transfer?
    while next == nil, known.first < known.waiting.count {
      let candidate = known.waiting[known.first]
      known.first += 1
      if !candidate.isCancelled { next = candidate }
    }
    if known.first == known.waiting.count { (known.waiting, known.first) = ([], 0) }
    if next == nil { known.active -= 1 }
    places[place] = known.active == 0 ? nil : known
    next?.start()
  }

  private func setTimer(_ milliseconds: Int64) {
    timer?.cancel()
    timer = nil
    if milliseconds < 0 { return }
    timer = IOLoop.shared.after(Int(milliseconds) * 1_000_000) { [unowned self] in
      timer = nil
      functions.due(net)
    }
  }
}

// MARK: Loading

extension NetLibrary {
  /// FRP_LIB, beside the program, and where `make install` puts it.
  private static var places: [String] {
    var places: [String] = []
    if let named = getenv("FRP_LIB") { places.append(String(cString: named)) }
    if let directory = directoryOfProgram { places += [directory, directory + "/../lib/frp"] }
    return places
  }

  private static var directoryOfProgram: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    if count <= 0 { return nil }
    let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.lastIndex(of: "/").map { String(text[..<$0]) }
  }

  fileprivate static var path: String? {
    places.map { $0 + "/" + Network.libraryName }.first { access($0, R_OK) == 0 }
  }

  private static func load() -> Result<Functions, IOError> {
    guard let path else {
      return .failure(
        IOError("the network needs \(Network.libraryName), which is not in \(places.joined(separator: ", nor in "))"))
    }
    var text = [CChar](repeating: 0, count: 1024)
    if let table = cnet_load(path, &text, text.count) { return .success(Functions(table: table)) }
    let problem = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return .failure(IOError("the network: \(problem)"))
  }
}
