// Programs in files: the only place of the library that reads any, and only those that its caller or an `import` names.

import FRPLibc

extension Program {
  /// Compiles a file, with the modules beside it that it imports. Throws if the file cannot be read; what is wrong with its
  /// text stands in `diagnostics`.
  public init(
    contentsOf path: String, host: [HostModule] = [], limits: CheckLimits = CheckLimits()
  ) throws(FrpError) {
    self.init(try Source(contentsOf: path), modules: .onDisk, host: host, limits: limits)
  }
}

extension Source {
  /// The longest text of a program: whoever reads more has the wrong file, or a device that never ends.
  public static let mostBytes = 64 << 20

  /// A file's text, under the name of its path. Throws if it cannot be read, or is longer than `mostBytes`.
  public init(contentsOf path: String) throws(FrpError) {
    guard let bytes = Self.bytes(path) else {
      throw FrpError("cannot read `\(path)`: \(String(cString: strerror(errno)))")
    }
    self.init(name: path, bytes: bytes)
  }

  /// Nil, and `errno` says why, where there is no such file.
  package static func bytes(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    return bytes(of: file)
  }

  /// All that is left to read; nil, and `errno` says why, where that fails or is longer than `mostBytes`.
  package static func bytes(of descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &block, block.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += block[..<count] } else if errno != EINTR { return nil }
      if bytes.count > mostBytes {
        errno = EFBIG
        return nil
      }
    }
  }
}

extension ModuleFiles {
  /// The files beside the one that imports them.
  public static var onDisk: ModuleFiles { onDisk(allowing: []) }

  /// The files beside the one that imports them, and in other folders where links lead to these. A file that lies, links
  /// followed, in neither is refused, and so is what is no file at all: a program from elsewhere must not show what else
  /// there is on this machine.
  public static func onDisk(allowing folders: [String]) -> ModuleFiles {
    ModuleFiles(read: { imported($0, folders).bytes }, list: names, refusal: { imported($0, folders).refusal })
  }

  /// The same for a program that is named without the folder it lies in.
  package func below(_ folder: String) -> ModuleFiles {
    if folder.isEmpty { return self }
    func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path == "." ? "" : path)" }
    return ModuleFiles(
      read: { read(whole($0)) }, list: { list(whole($0)) }, refusal: { refusal(whole($0)) })
  }

  /// The bytes of an imported file, or why it is there and cannot be imported.
  private static func imported(_ path: String, _ folders: [String]) -> (bytes: [UInt8]?, refusal: String?) {
    guard let file = real(path) else { return (nil, nil) }
    let home = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let allowed = ([home] + folders).compactMap(real)
    guard allowed.contains(where: { file.hasPrefix($0 == "/" ? "/" : $0 + "/") }) else {
      return (nil, "it is a link to a file outside of the program's folder")
    }
    // Opening a pipe would wait for whoever writes to it.
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { return (nil, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return (nil, "it is no file") }
    if let bytes = Source.bytes(of: descriptor) { return (bytes, nil) }
    return (nil, String(cString: strerror(errno)))
  }

  /// An absolute path without links; nil where there is nothing.
  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.sorted()
  }
}
