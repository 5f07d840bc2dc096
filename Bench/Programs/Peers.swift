// Other languages and libraries, where they are installed: the same workloads as programs of theirs, in Bench/peers.
//
// A program of the first kind prints lines `W1:loop 9.63 3000003000000`: workload and how it is written, nanoseconds an event
// (the least of five blocks), and its result. The second kind reads W10's input and prints `brand sum` lines. The third
// prints a line and ends.

import FRPBase
import Glibc

struct Peer {
  enum Kind { case workloads, tweets, hello }

  var name: String
  var kind: Kind
  /// Commands that must be there.
  var needs: [String]
  /// Files that must be there, beside them.
  var files: [String] = []
  /// Makes `OUT` of a file of the peers' folder.
  var build: [String]?
  var run: [String]

  static let all: [Peer] = [
    Peer(name: "Lua 5.4", kind: .workloads, needs: ["lua5.4"], run: ["lua5.4", "workloads.lua"]),
    Peer(name: "LuaJIT", kind: .workloads, needs: ["luajit"], run: ["luajit", "workloads.lua"]),
    Peer(name: "node", kind: .workloads, needs: ["node"], run: ["node", "workloads.js"]),
    Peer(
      name: "OCaml React", kind: .workloads, needs: ["ocamlfind"], files: ["/usr/lib/ocaml/react/react.cmxa"],
      build: ["ocamlfind", "ocamlopt", "-O3", "-package", "react", "-linkpkg", "signals.ml", "-o", "OUT"], run: ["OUT"]),
    Peer(
      name: "reactive-banana", kind: .workloads, needs: ["ghc"], files: ["/usr/share/doc/libghc-reactive-banana-dev"],
      build: ["ghc", "-O2", "-package", "reactive-banana", "banana.hs", "-o", "OUT"], run: ["OUT"]),
    Peer(
      name: "FrTime", kind: .workloads, needs: ["racket"], files: ["/usr/share/racket/pkgs/frtime"],
      run: ["racket", "frtime.rkt"]),
    Peer(name: "mawk, split on quotes", kind: .tweets, needs: ["mawk"], run: ["mawk", "-f", "tweets.awk"]),
    Peer(name: "node JSON.parse", kind: .tweets, needs: ["node"], run: ["node", "tweets.js"]),
    Peer(name: "python3 json", kind: .tweets, needs: ["/usr/bin/python3"], run: ["/usr/bin/python3", "tweets.py"]),
    Peer(name: "jq", kind: .tweets, needs: ["jq"], run: ["jq", "-nrf", "tweets.jq"]),
    Peer(name: "mawk", kind: .hello, needs: ["mawk"], run: ["mawk", "BEGIN { print \"hello\" }"]),
    Peer(name: "Lua 5.4", kind: .hello, needs: ["lua5.4"], run: ["lua5.4", "-e", "print('hello')"]),
    Peer(name: "LuaJIT", kind: .hello, needs: ["luajit"], run: ["luajit", "-e", "print('hello')"]),
    Peer(name: "jq", kind: .hello, needs: ["jq"], run: ["jq", "-nr", "\"hello\""]),
    Peer(
      name: "python3", kind: .hello, needs: ["/usr/bin/python3"], run: ["/usr/bin/python3", "-c", "print('hello')"]),
    Peer(name: "node", kind: .hello, needs: ["node"], run: ["node", "-e", "console.log('hello')"]),
  ]

  /// What is missing to run it; nil if nothing is.
  var missing: String? {
    needs.first { !($0.hasPrefix("/") ? access($0, X_OK) == 0 : Child.isInstalled($0)) }
      ?? files.first { access($0, F_OK) != 0 }
  }
}

/// One number of a peer.
struct PeerMeasurement {
  var workload: String
  var peer: String
  var value: Double
  var unit: String
  var note = ""
}

struct Peers {
  /// The folder of their programs.
  let folder: String
  let processes: Processes

  /// Runs those that are installed; says which are not.
  func measure() throws(BenchFailure) -> [PeerMeasurement] {
    var results: [PeerMeasurement] = []
    let count = processes.isQuick ? 100_000 : 1_000_000
    let tweets = try processes.tweets(count)
    defer { unlink(tweets.path) }
    var said: Set<String> = []
    for peer in Peer.all {
      if let missing = peer.missing {
        if said.insert(missing).inserted { print("skipped: \(peer.name), since there is no \(missing)") }
        continue
      }
      do throws(BenchFailure) {
        switch peer.kind {
        case .workloads: results += try workloads(peer)
        case .tweets: results.append(try lines(peer, tweets.path, count, tweets.sums))
        case .hello: results.append(try hello(peer))
        }
      } catch { print("skipped: \(peer.name): \(error.message)") }
    }
    return results.sorted { $0.workload < $1.workload || $0.workload == $1.workload && $0.value < $1.value }
  }

  // MARK: Kinds

  private var out: String { "\(temporaryFolder)/bench-peer" }

  /// The words of a command, with the peers' files where they lie.
  private func words(_ words: [String], _ program: String) -> [String] {
    words.map { word in
      if word == "OUT" { return program }
      return access("\(folder)/\(word)", F_OK) == 0 && word.contains(".") ? "\(folder)/\(word)" : word
    }
  }

  private func workloads(_ peer: Peer) throws(BenchFailure) -> [PeerMeasurement] {
    var program = ""
    if let build = peer.build {
      // Compilers leave files beside the source: it is copied first.
      let work = "\(temporaryFolder)/bench-peers"
      _ = try Child.run(["rm", "-rf", work])
      _ = try Child.run(["cp", "-r", folder, work])
      program = "\(work)/program"
      let copied = build.map { $0 == "OUT" ? program : access("\(work)/\($0)", F_OK) == 0 ? "\(work)/\($0)" : $0 }
      let child = try Child.run(copied, output: .null, errors: .file("\(work)/log"))
      if child.exitCode != 0 { throw BenchFailure(message: "it does not compile here, see \(work)/log") }
    }
    let child = try Child.run(words(peer.run, program), output: .file(out), errors: .null)
    defer { unlink(out) }
    if child.exitCode != 0 { throw BenchFailure(message: "it ended with \(child.exitCode)") }
    return text(out).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: " ")
      guard cells.count == 3, let value = Double(cells[1]) else { return nil }
      let parts = cells[0].split(separator: ":")
      return PeerMeasurement(
        workload: String(parts[0]), peer: peer.name, value: value, unit: "ns",
        note: parts.count > 1 ? String(parts[1]) : "")
    }
  }

  private func lines(_ peer: Peer, _ input: String, _ count: Int, _ sums: [String: Double]) throws(BenchFailure)
    -> PeerMeasurement
  {
    let child = try Child.run(words(peer.run, ""), input: .file(input), output: .file(out), errors: .null)
    defer { unlink(out) }
    for line in text(out).split(separator: "\n") {
      let cells = line.split(separator: " ")
      guard cells.count == 2, let sum = Double(cells[1]), let right = sums[String(cells[0])] else { continue }
      if !Measurement.agree(sum, right, 1e-6) { throw BenchFailure(message: "its sum of \(cells[0]) is \(sum)") }
    }
    if child.exitCode != 0 { throw BenchFailure(message: "it ended with \(child.exitCode)") }
    return PeerMeasurement(
      workload: "W10", peer: peer.name, value: child.processorTime * 1e6 / Double(count), unit: "s",
      note: "\(shown(Double(child.resident) / 1e6)) MB")
  }

  private func hello(_ peer: Peer) throws(BenchFailure) -> PeerMeasurement {
    var times: [Double] = []
    for _ in 0..<15 { times.append(try Child.run(peer.run, output: .null).wallTime * 1000) }
    return PeerMeasurement(workload: "W11", peer: peer.name, value: Spread(times).median, unit: "ms")
  }

  private func text(_ path: String) -> String { contents(of: path).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension Table {
  mutating func add(_ peer: PeerMeasurement) {
    add(
      [peer.workload, peer.peer, peer.note, peer.unit, shown(peer.value)],
      json: [
        ("workload", quoted(peer.workload)), ("peer", quoted(peer.peer)), ("note", quoted(peer.note)),
        ("unit", quoted(peer.unit)), ("value", plain(peer.value)),
      ])
  }
}
