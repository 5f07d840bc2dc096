import Glibc
import Synchronization
import Testing

@testable import FRPIO

/// What may be reached through paths, as tables: refused, and the neighbours that pass. Each by the kernel's openat2, and by
/// the walk that takes its place; each for reading and for writing.
@Suite struct PathTests {
  static func tree() -> Folder {
    let folder = Folder()
    for name in ["granted", "granted/sub", "granted/sub/deep", "granted2", "outside", "GRANTED"] { folder.make(name) }
    for name in [
      "file.txt", "sub/file.txt", "sub/deep/file.txt", "dots...", "file.txt.", "..file", "...", "\u{E9}", " ", "a b",
    ] {
      folder.write("granted/\(name)", "inside")
    }
    for name in [
      "secret.txt", "granted2/file.txt", "outside/file.txt", "GRANTED/file.txt", "single_other", "SINGLE", "e\u{301}",
    ] {
      folder.write(name, "secret")
    }
    folder.write("single", "inside")
    folder.write("\u{E9}", "inside")
    let links = [
      "in": "file.txt", "in_sub": "sub", "in_up": "sub/../file.txt", "in_chain": "in",
      "in_deep": "sub/deep/../file.txt",
      "out": "../secret.txt", "out_dir": "..", "out_dir_slash": "../", "out_back": "../granted/file.txt",
      "out_deep": "sub/../../secret.txt", "out_sub": "sub/deep/../../../outside", "out_chain": "out",
      "out_in_link": "in_sub/../../secret.txt",
      "absolute": folder.file("secret.txt"), "absolute_dir": folder.path,
      "absolute_in": folder.file("granted/file.txt"), "root": "/",
      "proc_root": "/proc/self/root", "proc_cwd": "/proc/self/cwd", "loop": "loop", "loop_a": "loop_b",
      "loop_b": "loop_a",
      "sub/out": "../../secret.txt", "sub/in": "../file.txt", "sub/deep/out": "../../../secret.txt",
      "sub/out_dir": "../..",
    ]
    for (name, target) in links { folder.link("granted/\(name)", to: target) }
    folder.link("single_link", to: "single")
    folder.link("to_granted", to: "granted")
    folder.link("to_outside", to: "outside")
    return folder
  }

  static let grants: [(Grants.Kind, String)] = [
    (.read, "granted"), (.read, "single"), (.read, "\u{E9}"), (.write, "granted"), (.write, "single"),
    (.write, "\u{E9}"),
  ]

  /// Ways out of `granted`, below which the secret stands; BASE is where the test's directory is.
  static let waysOut = [
    "granted/..", "granted/../", "granted/./..", "granted//..", "granted/sub/../..", "granted/sub/deep/../../..",
    "granted/sub/./../..", "granted/in_sub/../..", "./granted/..", ".//./granted/..", "granted/../granted/..",
    "granted/nothing/../..",
    "granted/file.txt/../..", "BASE/granted/..", "BASE//granted/sub/../..", "/..BASE/granted/..", "/../..BASE",
    "granted/out_dir",
    "granted/out_dir_slash", "granted/absolute_dir", "granted/rootBASE", "granted/proc_rootBASE", "granted/sub/out_dir",
    "granted/in_sub/out_dir", "granted/sub/deep/../out_dir", ".", "", "BASE", "to_granted/..", "granted/out_sub/../..",
  ]
  static let secrets = [
    "secret.txt", "granted2/file.txt", "outside/file.txt", "GRANTED/file.txt", "single_other", "SINGLE",
  ]

  static let oddities = [
    // Links that lead out, or lead in by a way that goes out or is absolute.
    "granted/out", "granted/out_back", "granted/out_deep", "granted/out_chain", "granted/out_in_link",
    "granted/absolute",
    "granted/absolute_in", "granted/sub/out", "granted/sub/deep/out", "granted/in_sub/out", "granted/in_sub/deep/out",
    "granted/out_sub/file.txt",
    "granted/out/", "granted/root/etc/passwd", "granted/root",
    "granted/proc_root/etc/passwd",
    "granted/proc_cwd/secret.txt", "granted/root/proc/self/root/etc/passwd",
    // Names that only look like what is granted.
    "single2", "single.", "single ", " single", "Single", "single/../single_other", "single_link", "singl",
    "single\u{301}", "e\u{301}",
    "granted2", "granted.", "granted ", "Granted/file.txt", "GRANTED", "grante\u{301}d/file.txt",
    "granted\\..\\secret.txt",
    "granted%2f..%2fsecret.txt", "to_granted/file.txt", "to_outside/file.txt", "~/granted/file.txt",
    "file:granted/file.txt",
    "file://BASE/granted/file.txt", "*/file.txt", "g?anted/file.txt", "{granted}/file.txt", "$PWD/granted/file.txt",
    "granted:file.txt",
    "\u{FF47}ranted/file.txt", "granted\u{200B}/file.txt", "grаnted/file.txt", "\u{2215}granted/file.txt",
    "..\u{2215}secret.txt",
    // The system's own names.
    "/", "//", "/.", "/..", "/etc/passwd", "//etc/passwd", "/etc/../etc/passwd", "/proc/self/environ", "/proc/self/mem",
    "/proc/1/environ",
    "/proc/self/fd/0", "/proc/self/root/etc/passwd", "/proc/self/cwd/secret.txt", "/dev/fd/0", "/dev/stdin",
    "/dev/null", "/sys/kernel",
    "/proc/self/task/1/root/etc/passwd", "/proc/thread-self/fd/0", "/run", "/tmp", "/root/.ssh/id_rsa",
    "../../../../../../etc/passwd",
    "granted/../../../../../../../../etc/passwd", "../granted/file.txt", "..", "../", "../..", ".ssh", "..secret.txt",
    ".secret.txt",
    "BASE/../etc/passwd", "BASE/secret.txt/", "BASEgranted/file.txt", "BASE.granted/file.txt",
    "granted/.../../../secret.txt",
    // What no path is.
    "", "\0", "granted/file.txt\0", "granted/\0/file.txt", "granted/file.txt\0/../../secret.txt", "\0granted/file.txt",
    "granted\0",
    "granted/" + String(repeating: "a/", count: 3000) + "x", "granted/" + String(repeating: "n", count: 5000),
    String(repeating: "../", count: 1500) + "etc/passwd", String(repeating: "/", count: 4096) + "etc/passwd",
  ]

  static let refused = waysOut.flatMap { way in secrets.map { "\(way)/\($0)" } } + oddities

  static let passing = [
    "granted/file.txt", "./granted/file.txt", "granted//file.txt", "granted/./file.txt", "granted/../granted/file.txt",
    "granted/sub/../file.txt",
    "granted/sub/deep/../../file.txt", "granted/nothing/../file.txt", "BASE/granted/file.txt",
    "//BASE/granted/file.txt", "/..BASE/granted/file.txt",
    "outside/../granted/file.txt", "granted/sub/file.txt", "granted/sub/deep/file.txt", "granted/dots...",
    "granted/file.txt.", "granted/..file",
    "granted/...", "granted/\u{E9}", "granted/ ", "granted/a b", "granted/in", "granted/in_sub/file.txt",
    "granted/in_up", "granted/in_chain", "granted/in_deep",
    "granted/sub/in", "granted/in_sub/in", "granted/in_sub/deep/file.txt", "single", "./single", "BASE/single",
    "outside/../single", "\u{E9}",
    String(repeating: "./", count: 1000) + "granted/file.txt",
    "granted" + String(repeating: "/", count: 3000) + "file.txt",
    "granted/sub" + String(repeating: "/../sub", count: 400) + "/file.txt",
  ]

  private static func path(_ text: String, _ folder: Folder) -> String { text.replacing("BASE", with: folder.path) }

  @Test func enough() { #expect(Self.refused.count >= 200 && Set(Self.refused).count == Self.refused.count - 0) }

  @Test(arguments: [true, false]) func refusedPaths(asksKernel: Bool) throws {
    let folder = Self.tree()
    let access = try folder.access(Self.grants, asksKernel: asksKernel)
    for text in Self.refused {
      let path = Self.path(text, folder)
      for (purpose, flags) in [(Access.Purpose.read, O_RDONLY), (.write, O_WRONLY)] {
        let error = #expect(throws: IOError.self, "\(text.debugDescription)") {
          _ = try access.open(path, purpose, flags | O_NONBLOCK)
        }
        let isNoPath = path.isEmpty || path.utf8.contains(0) || path.utf8.count > 4000
        #expect(isNoPath || error == IOError(notGranted: purpose.need(path)), "\(text.debugDescription)")
      }
      if let spot = try? access.spot(path, .write) { #expect(try isInside(spot, folder), "\(text.debugDescription)") }
    }
    for name in ["secret.txt", "single_other", "granted2/file.txt", "outside/file.txt"] {
      #expect(folder.read(name) == "secret")
    }
  }

  private func isInside(_ spot: Spot, _ folder: Folder) throws -> Bool {
    let target = try #require(spot.directory.with { realpath("/proc/self/fd/\($0)", nil) }.map { String(cString: $0) })
    return target == folder.file("granted") || target.hasPrefix(folder.file("granted/"))
      || (target == folder.path && ["single", "\u{E9}"].contains { $0.utf8.elementsEqual(spot.name) })
  }

  @Test(arguments: [true, false]) func passingPaths(asksKernel: Bool) throws {
    let folder = Self.tree()
    let access = try folder.access(Self.grants, asksKernel: asksKernel)
    for text in Self.passing {
      let path = Self.path(text, folder)
      #expect(access.covers(.read(path)), "\(text)")
      #expect(content(try access.open(path, .read, O_RDONLY)) == "inside", "\(text)")
      _ = try access.open(path, .write, O_WRONLY)
      #expect(try isInside(access.spot(path, .write), folder))
    }
  }

  /// What the system says of a path that is granted.
  @Test(arguments: [
    ("granted/nothing", "no such file: granted/nothing"), ("granted/file.txt/x", "not a directory: granted/file.txt/x"),
    ("granted/file.txt/", "not a directory: granted/file.txt/"),
    ("granted/nothing/x", "no such file: granted/nothing/x"),
    ("single/", "not a directory: single/"),
    ("granted/loop", "too many levels of symbolic links: granted/loop"),
    ("granted/loop_a", "too many levels of symbolic links: granted/loop_a"),
    ("granted/loop_b/x", "too many levels of symbolic links: granted/loop_b/x"),
  ])
  func faults(_ path: String, _ message: String) throws {
    let folder = Self.tree()
    for asksKernel in [true, false] {
      let access = try folder.access(Self.grants, asksKernel: asksKernel)
      #expect(throws: IOError(message)) { try access.open(path, .read, O_RDONLY) }
    }
  }

  /// Reading grants no writing, and the other way round.
  @Test func purposes() throws {
    let folder = Self.tree()
    let access = try folder.access([(.read, "granted"), (.write, "outside")])
    #expect(throws: IOError("not granted: write granted/file.txt")) {
      try access.open("granted/file.txt", .write, O_WRONLY)
    }
    #expect(throws: IOError("not granted: read outside/file.txt")) {
      try access.open("outside/file.txt", .read, O_RDONLY)
    }
    #expect(throws: IOError("not granted: read outside/file.txt")) {
      try folder.access([]).open("outside/file.txt", .read, O_RDONLY)
    }
    #expect(!access.covers(.write("granted/file.txt")) && !access.covers(.read("")))
  }

  /// Magic links, where /proc and /dev are granted.
  @Test(arguments: [true, false]) func magicLinks(asksKernel: Bool) throws {
    let folder = Self.tree()
    let access = try folder.access([(.read, "/proc"), (.read, "/dev")], asksKernel: asksKernel)
    let secret = open(folder.file("secret.txt"), O_RDONLY | O_CLOEXEC)
    defer { close(secret) }
    let (process, base) = (getpid(), folder.path)
    for path in [
      "/proc/self/fd/\(secret)", "/proc/\(process)/fd/\(secret)", "/proc/thread-self/fd/\(secret)",
      "/proc/self/root\(base)/secret.txt",
      "/proc/\(process)/root\(base)/secret.txt", "/proc/self/cwd/x", "/proc/self/exe", "/proc/self/fd/\(secret)/",
      "/dev/fd/\(secret)",
      "/dev/../dev/fd/\(secret)", "/proc/self/task/\(process)/fd/\(secret)", "/proc/mounts/../self/fd/\(secret)",
    ] {
      #expect(throws: IOError(notGranted: .read(path)), "\(path)") {
        try access.open(path, .read, O_RDONLY | O_NONBLOCK)
      }
    }
    for path in ["/proc/self/status", "/proc/uptime", "/dev/null", "/proc/mounts"] {
      #expect(throws: Never.self, "\(path)") { try access.open(path, .read, O_RDONLY) }
    }
  }

  /// What was granted is what stood there at the start.
  @Test(arguments: [true, false]) func heldFromTheStart(asksKernel: Bool) throws {
    let folder = Self.tree()
    let access = try folder.access(
      Self.grants + [(.read, "single_link"), (.read, "to_granted")], asksKernel: asksKernel)
    #expect(content(try access.open("single_link", .read, O_RDONLY)) == "inside")
    rename(folder.file("granted"), folder.file("elsewhere"))
    folder.link("granted", to: "outside")
    unlink(folder.file("single"))
    folder.link("single", to: "secret.txt")
    unlink(folder.file("single_link"))
    folder.link("single_link", to: "secret.txt")
    for path in ["granted/file.txt", "to_granted/file.txt"] {
      #expect(content(try access.open(path, .read, O_RDONLY)) == "inside")
    }
    for path in ["single", "single_link"] {
      #expect(throws: IOError(notGranted: .read(path))) { try access.open(path, .read, O_RDONLY) }
    }
  }

  /// A name that does not exist at the start may come to be; what is in there, if it becomes a directory, is not granted.
  @Test func laterNames() throws {
    let folder = Self.tree()
    let access = try folder.access([(.read, "later"), (.read, "later2"), (.write, "granted/new")])
    #expect(throws: IOError("no such file: later")) { try access.open("later", .read, O_RDONLY) }
    folder.write("later", "here")
    #expect(content(try access.open("later", .read, O_RDONLY)) == "here")
    folder.make("later2")
    folder.write("later2/x", "secret")
    #expect(throws: IOError(notGranted: .read("later2/x"))) { try access.open("later2/x", .read, O_RDONLY) }
    _ = try access.open("granted/new", .write, O_WRONLY | O_CREAT)
    #expect(folder.read("granted/new") == "")
    #expect(throws: IOError(notGranted: .write("granted/file.txt"))) {
      try access.open("granted/file.txt", .write, O_WRONLY)
    }
  }

  /// Somebody swaps a directory for a link that leads out, and moves another one out and back, all the time.
  @Test(arguments: [true, false]) func races(asksKernel: Bool) throws {
    let folder = Self.tree()
    folder.make("granted/race")
    folder.write("granted/race/file.txt", "inside")
    folder.link("granted/trap", to: "../outside")
    folder.make("granted/moving")
    folder.make("granted/moving/in")
    folder.write("granted/moving/in/file.txt", "inside")
    folder.link("granted/moving/in/up", to: "../../file.txt")
    let access = try folder.access([(.read, "granted")], asksKernel: asksKernel)
    let isDone = Atomic(false)
    let base = folder.path
    let swaps = Thread {
      while !isDone.load(ordering: .relaxed) {
        for (from, to) in [
          ("granted/race", "granted/aside"), ("granted/trap", "granted/race"), ("granted/moving/in", "outside/in"),
          ("outside/in", "granted/moving/in"),
          ("granted/race", "granted/trap"), ("granted/aside", "granted/race"),
        ] { rename("\(base)/\(from)", "\(base)/\(to)") }
      }
    }
    var (inside, refused) = (0, 0)
    for _ in 0..<4000 {
      for path in ["granted/race/file.txt", "granted/moving/in/up", "granted/moving/in/file.txt"] {
        do {
          #expect(content(try access.open(path, .read, O_RDONLY)) == "inside")
          inside += 1
        } catch { refused += 1 }
      }
    }
    isDone.store(true, ordering: .relaxed)
    swaps.join()
    #expect(inside > 0 && refused > 0)
  }

  @Test(arguments: [
    ([(Grants.Kind.read, "none/x")], "read=none/x: no such file: "),
    ([(.read, "single/")], "read=single/: not a directory: single/"),
    ([(.write, "single/x")], "write=single/x: not a directory: single/x"),
    ([(.run, "no-such-program-x")], "run=no-such-program-x: no such program in PATH: "),
    ([(.run, "./nothing")], "run=./nothing: no such file: ./nothing"),
    ([(.run, "single")], "run=single: no such program in PATH"),
    ([(.run, "./single")], "run=./single: it may not be run (`chmod +x` lets it): ./single"),
  ])
  func grantsThatCannotBeHeld(_ grants: [(Grants.Kind, String)], _ message: String) throws {
    let folder = Self.tree()
    let error = #expect(throws: IOError.self) { try folder.access(grants) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func programs() throws {
    let folder = Self.tree()
    symlink("/bin/cat", folder.file("cat"))
    let access = try folder.access([(.run, "sh"), (.run, "./cat"), (.run, "/bin/ls")])
    for word in ["sh", "./cat", folder.file("cat"), "/bin/ls", "/bin/../bin/ls"] {
      #expect(access.covers(.run(word)), "\(word)")
    }
    for word in ["cat", "/bin/cat", "Sh", "sh ", "", "\0", "./sh", "/bin/rm", "rm", "sh\0"] {
      #expect(!access.covers(.run(word)), "\(word)")
    }
  }
}
