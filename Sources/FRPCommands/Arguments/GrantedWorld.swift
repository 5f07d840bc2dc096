// `--allow-net=…` and its like, and `--grants FILE`: what the programs of a command line may do outside of themselves.

import FRP
import FRPWorld

import struct FRPIO.Grants
import struct FRPIO.IOError

enum GrantedWorld {
  /// By flag, what it grants.
  static let flags: [FlagSpecification] = [
    FlagSpecification(
      "--allow-net", "HOST[:PORT]", repeats: true,
      "The program may connect to this host. Private addresses and this machine's only where they are named."),
    FlagSpecification(
      "--allow-listen", "[ADDR:]PORT", repeats: true, "It may listen there; on 127.0.0.1 without an address."),
    FlagSpecification("--allow-read", "PATH", repeats: true, "It may read this file, or what is in this folder."),
    FlagSpecification(
      "--allow-write", "PATH", repeats: true, "It may write there. What it reads, --allow-read grants."),
    FlagSpecification("--allow-run", "FILE", repeats: true, "It may run this program."),
    FlagSpecification("--allow-env", "NAME", repeats: true, "It may see this variable of the environment."),
    FlagSpecification(
      "--grants", "FILE", repeats: true,
      "The same from a file: lines `net=HOST`, `read=PATH`; `frp grants` writes them."),
  ]

  /// The world of a command line; with a mistake in its flags, that.
  static func world(of invocation: Invocation) throws(UsageProblem) -> World {
    var grants = Grants()
    for kind in Grants.Kind.allCases {
      for value in invocation.values("--allow-\(kind.rawValue)") {
        do throws(IOError) { try grants.add(kind, value) } catch {
          throw UsageProblem(
            message: "`--allow-\(kind.rawValue)=\(value)`: \(error.message)", command: invocation.command)
        }
      }
    }
    for path in invocation.values("--grants") { try add(path, to: &grants, invocation.command) }
    // Only a page says which port the system has chosen.
    if invocation.command != "serve", grants.listen.contains(where: { $0.port == 0 }) {
      throw UsageProblem(message: "`--allow-listen`: ports are 1 to 65535, not 0", command: invocation.command)
    }
    do throws(FrpError) { return try World(grants) } catch {
      throw UsageProblem(message: "cannot grant \(error.message)", command: invocation.command)
    }
  }

  /// What files of grants grant, a line each; nothing of those that cannot be read.
  static func lines(of paths: [String]) -> [String] {
    var grants = Grants()
    for path in paths { try? add(path, to: &grants, "build") }
    return grants.lines
  }

  private static func add(_ path: String, to grants: inout Grants, _ command: String) throws(UsageProblem) {
    let text: String
    do { text = String(decoding: try Files.contents(of: path), as: UTF8.self) } catch {
      throw UsageProblem(message: "cannot read `\(path)`: \(error.message)", command: command)
    }
    do throws(IOError) { try grants.add(lines: text, of: path) } catch {
      throw UsageProblem(message: error.message, command: command)
    }
  }
}
