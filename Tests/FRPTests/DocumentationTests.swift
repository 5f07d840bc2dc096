// Every public symbol of the library says what it is.

import Testing

@testable import FRPCommands

@Suite struct DocumentationTests {
  /// Witnesses of protocols, which have their protocol's words.
  private static let witnesses = [
    "static func ==", "static func <", "func hash(", "func encode(to", "init(from", "static var frpType",
    "var frpValue",
    "init(frpValue", "func _word", "static func _value", "var description", "extension", "import",
  ]

  @Test func everyPublicSymbolIsDocumented() throws {
    let folder = root + "/Sources/FRP"
    let files = swiftFiles(in: folder)
    #expect(files.count > 30)
    var missing: [String] = []
    var count = 0
    for path in files {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
      for (index, line) in lines.enumerated() {
        guard let symbol = Self.symbol(line), !Self.witnesses.contains(where: symbol.hasPrefix) else { continue }
        count += 1
        var above = index - 1
        while above >= 0, lines[above].hasPrefix("@") { above -= 1 }
        if above < 0 || !lines[above].hasPrefix("///") {
          missing.append("\(path.dropFirst(folder.count)):\(index + 1): \(symbol)")
        }
      }
    }
    #expect(count > 200)
    #expect(missing == [])
  }

  /// And of the types of the layers below that the library hands out.
  @Test func everySymbolOfReexportedTypesIsDocumented() throws {
    let names = String(decoding: try Files.contents(of: root + "/Sources/FRP/Embedding/Names.swift"), as: UTF8.self)
    let exported = Set(names.matches(of: #/@_exported import \w+ \w+\.(\w+)/#).map { String($0.1) })
    // A row of the table of codes says of each what it is about.
    let others: Set = ["DiagnosticCode"]
    var (missing, found): ([String], Set<String>) = ([], [])
    for path in ["FRPBase", "FRPRuntime"].flatMap({ swiftFiles(in: "\(root)/Sources/\($0)") }) {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      var inside: String?
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() {
        if let match = line.firstMatch(of: #/^public (?:final )?(?:struct|class|enum) (\w+)/#) {
          inside = String(match.1)
        }
        if line == "}" { inside = nil }
        guard let type = inside, exported.subtracting(others).contains(type) else { continue }
        found.insert(type)
        let declaration = line.drop { $0 == " " }
        let isCase = type == "Severity" && declaration.hasPrefix("case ")
        guard isCase || Self.symbol(declaration).map({ !Self.witnesses.contains(where: $0.hasPrefix) }) == true else {
          continue
        }
        if !lines[index - 1].drop(while: { $0 == " " }).hasPrefix("///") { missing.append("\(type): \(declaration)") }
      }
    }
    #expect(found == exported.subtracting(others) && found.count > 10)
    #expect(missing == [])
  }

  /// Cases of public enums and requirements of public protocols have no `public` of their own.
  @Test func everyMemberOfPublicEnumsAndProtocolsIsDocumented() throws {
    let folder = root + "/Sources/FRP"
    var missing: [String] = []
    var count = 0
    for path in swiftFiles(in: folder) {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      // The kind and indentation of the declaration that the line is in.
      var open: (kind: Substring, depth: Int)?
      for (index, line) in lines.enumerated() {
        let depth = line.prefix { $0 == " " }.count
        let words = line.split(separator: " ").filter { $0 != "indirect" }
        if words.count > 2, words[0] == "public", ["enum", "protocol"].contains(words[1]), line.hasSuffix("{") {
          open = (words[1], depth)
        } else if let inside = open, depth == inside.depth, words.first == "}" {
          open = nil
        } else if let inside = open, depth == inside.depth + 2, let first = words.first {
          let members = inside.kind == "enum" ? ["case"] : ["func", "var", "init", "static", "associatedtype"]
          guard members.contains(where: { first == $0 || first.hasPrefix($0 + "(") }) else { continue }
          count += 1
          var above = index - 1
          while lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
          if !lines[above].drop(while: { $0 == " " }).hasPrefix("///") {
            missing.append("\(path.dropFirst(folder.count)):\(index + 1): \(words.joined(separator: " "))")
          }
        }
      }
    }
    #expect(count > 40)
    #expect(missing == [])
  }

  /// The walk through the runtime names functions and types that exist.
  @Test func theWalkThroughTheRuntimeIsTrue() throws {
    let folder = root + "/Sources/FRPRuntime"
    var declared: Set<String> = []
    for path in swiftFiles(in: folder) {
      let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
      for match in text.matches(of: #/(?:func|var|let|struct|class|enum) (\w+)/#) { declared.insert(String(match.1)) }
    }
    // Of the language, of another module, or of the environment.
    let others: Set = ["filter", "fold", "switch", "Plan", "FRP_COLLECT=1"]
    let walk = String(decoding: try Files.contents(of: folder + "/README.md"), as: UTF8.self)
    let named = Set(walk.matches(of: #/`([^` ]+)`/#).map { String($0.1) }).filter { !$0.hasSuffix("/") }
    #expect(named.count > 50)
    #expect(named.subtracting(others).subtracting(declared) == [])
  }

  @Test func decisionsAreNumberedWithoutGapsAndHaveAStatus() throws {
    let folder = root + "/Sources/decisions"
    let names = Files.names(in: folder).sorted()
    #expect(names.count >= 18)
    for (index, name) in names.enumerated() {
      let number = String(repeating: "0", count: 4 - "\(index + 1)".count) + "\(index + 1)"
      let text = String(decoding: try Files.contents(of: folder + "/" + name), as: UTF8.self)
      #expect(name.hasPrefix(number + "-") && text.hasPrefix("# \(number): "), "\(name)")
      #expect(text.split(separator: "\n")[1].hasPrefix("Status: "), "\(name)")
    }
  }

  /// What follows `public` and its like at the beginning of a line.
  private static func symbol(_ line: Substring) -> String? {
    var words = line.split(separator: " ")
    while let first = words.first, first.hasPrefix("@") || first == "nonisolated" || first == "final" {
      words.removeFirst()
    }
    guard words.first == "public" else { return nil }
    words.removeFirst()
    while let first = words.first, first.hasSuffix("(set)") { words.removeFirst() }
    return words.joined(separator: " ")
  }

  private func swiftFiles(in folder: String) -> [String] {
    Files.names(in: folder).sorted().flatMap { name -> [String] in
      let path = folder + "/" + name
      if Files.isDirectory(path) { return name.hasPrefix(".") ? [] : swiftFiles(in: path) }
      return name.hasSuffix(".swift") ? [path] : []
    }
  }
}
