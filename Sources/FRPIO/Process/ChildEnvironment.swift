// What a child sees of this process's environment.
//
// Rules
// - A program that the language runs sees where it is and for whom: the variables of `usual`, and `LC_…`. Of the others, which may
//   be secrets, it sees those that `--allow-env` names: who may run a program could else read with it what was not granted.
// - A program that whoever started this process has named, a plug-in, sees all of it.

import Glibc

/// Variables that a child is started with.
struct ChildEnvironment: Sendable {
  /// `NAME=VALUE` as C has it: values need be no UTF-8.
  let entries: [[CChar]]

  /// Everything that this process was started with.
  static var whole: ChildEnvironment { ChildEnvironment { _ in true } }

  /// What a program that was granted may see.
  init(_ grants: Grants) {
    let named = (Self.usual + grants.env).map { $0.utf8CString.dropLast() }
    let local = "LC_".utf8CString.dropLast()
    self.init { name in named.contains { $0.elementsEqual(name) } || name.starts(with: local) }
  }

  private init(where isSeen: (ArraySlice<CChar>) -> Bool) {
    var entries: [[CChar]] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let place = next, let text = place.pointee {
      let entry = Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1))
      if isSeen(entry.prefix { $0 != CChar(UInt8(ascii: "=")) }) { entries.append(entry) }
      next = place + 1
    }
    self.entries = entries
  }

  /// What programs need to find others and their files, and the language and time of whoever sits there.
  private static let usual = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
  ]
}
