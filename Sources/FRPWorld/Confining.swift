// The second wall of a run: once everything that it needs itself is open, the kernel is told what was granted.

import FRP
import FRPIO
import Glibc

extension World {
  /// Confines this process for good to what was granted, if the program does anything of the world. Libraries that its calls
  /// need are loaded before. The run itself writes in `directories`, too.
  public func confine(for program: Program, writing directories: [String] = []) {
    let modules = Set(program.worldUses.map { $0.name.prefix { $0 != "." } })
    if modules.isEmpty { return }
    var others = Surroundings()
    others.writing = directories
    if !modules.isDisjoint(with: ["Http", "Ws", "Mqtt"]) {
      // What is wrong with it is said by each call.
      _ = Network.load()
      others.reading = Self.authorities
    }
    access.confine(others)
  }

  /// Where OpenSSL's own variables say that certificates are.
  private static var authorities: [String] {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    let directories = value("SSL_CERT_DIR").split(separator: ":").map(String.init)
    return ([value("SSL_CERT_FILE")] + directories).filter { !$0.isEmpty }
  }
}
