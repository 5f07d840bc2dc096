// Programs in files: the only place of the library that reads any, and only those that its caller or an `import` names.

import Glibc

extension Program {
  /// Compiles a file, with the modules beside it that it imports. Throws if the file cannot be read; what is wrong with its
  /// text stands in `diagnostics`.
  public init(contentsOf path: String, host: [HostModule] = []) throws(FrpError) {
    self.init(try Source(contentsOf: path), modules: .onDisk, host: host)
  }
}

extension Source {
  /// A file's text, under the name of its path. Throws if it cannot be read.
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

  /// All that is left to read; nil, and `errno` says why, where that fails.
  package static func bytes(of descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &block, block.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += block[..<count] } else if errno != EINTR { return nil }
    }
  }
}

extension ModuleFiles {
  /// The files beside the one that imports them.
  public static var onDisk: ModuleFiles { ModuleFiles(read: Source.bytes, list: names) }

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
