// Runs with a journal on simulated machines: a program of its own, since it answers the system calls of its whole process.

import Glibc
import Testing

@Suite struct SimulatedWorldTests {
  @Test(arguments: [
    "world 0 39", "world 358 358", "world 736 736", "world 999 999", "world 3957 3957", "world 4621 4621",
    "journals 0 14",
  ])
  func whateverFailsTheOutputsAreThoseOfAnUndisturbedRun(_ seeds: String) throws {
    let tests = try #require(realpath("/proc/self/exe", nil))
    defer { free(tests) }
    let folder = String(cString: tests).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let stream = try #require(popen("\(folder.joined(separator: "/"))/FRPSoak \(seeds)", "r"))
    var said = ""
    var buffer = [CChar](repeating: 0, count: 4096)
    while let line = fgets(&buffer, Int32(buffer.count), stream) { said += String(cString: line) }
    let ended = pclose(stream)
    #expect(ended == 0 && said.hasSuffix(": 0 failures\n"), "\(ended): \(said)")
  }
}
