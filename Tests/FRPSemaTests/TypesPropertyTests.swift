import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
import FRPTestFiles
import Glibc
import Testing

@Suite struct TypesPropertyTests {
  @Test func everySignatureOfTheTableIsUnderstood() {
    for (row, builtin) in Builtins.all.enumerated() {
      #expect(Signature.all[row].isWellFormed, "\(builtin.container).\(builtin.name): \(builtin.signature)")
      let count = Signature.all[row].parameters?.count ?? 0
      #expect(builtin.parameters.count == count, "\(builtin.container).\(builtin.name) names its parameters")
    }
  }

  @Test func overloadedNamesHaveRowsThatDiffer() {
    for (name, rows) in Builtins.byBareName where rows.count > 1 {
      // `Map.map` and `Map.filter` have a row for functions of the key and the value, and one for functions of the value;
      // `debounce`, `throttle` and `audit` take a duration, or a function that makes the event which ends it.
      let containers = rows.map { row in
        let functions = Builtins.all[row].signature.hasPrefix("(Map<k, v>, (v) ->") ? "/value" : ""
        let isByEvent = Builtins.all[row].signature.hasPrefix("(Event<a>, (a) -> Event<b>)") ? "/event" : ""
        return "\(Builtins.all[row].container)/\(Signature.all[row].parameters?.count ?? 0)\(functions)\(isByEvent)"
      }
      #expect(Set(containers).count == containers.count, "\(name): \(containers)")
    }
  }

  @Test func rowsAreChosenByTheFirstArgument() throws {
    let map = try #require(Builtins.byBareName["map"])
    let list = try #require(chooseRow(map, firstArgument: .list(.int)))
    #expect(Builtins.all[list].container == "List")
    let event = try #require(chooseRow(map, firstArgument: .event(.int)))
    #expect(Builtins.all[event].container == "Event")
    #expect(chooseRow(map, firstArgument: .bool) == nil)
    let delay = try #require(Builtins.byBareName["delay"])
    let behavior = try #require(chooseRow(delay, firstArgument: .list(.int)))
    #expect(Builtins.all[behavior].container == "Behavior")
  }

  @Test func examplesHaveNoErrors() {
    let root = TestFiles.root
    let names = TestFiles.names(in: root + "/examples", ending: ".frp")
    #expect(names.count > 20)
    for name in names {
      let source = TestFiles.read(root + "/examples/" + name + ".frp") ?? ""
      let errors = TypesCheck(source, name: name).diagnostics.filter { $0.severity == .error }
      #expect(errors.isEmpty, "\(name): \(errors.map { "\($0.code) \($0.title)" })")
    }
  }

  /// Patterns of every type against values of every type, two arms at a time: what does not fit is a mistake, and nothing else is.
  @Test func patternsOfAnotherTypeAreMistakes() {
    let kinds: [(type: String, patterns: [String])] = [
      ("Int", ["1"]), ("String", ["\"a\""]), ("Bool", ["true"]), ("()", ["()"]), ("(Int, String)", ["(1, \"a\")"]),
      ("(Int, Int, Int)", ["(_, 1, _)"]), ("{x: Int, y: Bool}", ["{x: 1, y: true}"]),
      ("List<Int>", ["[]", "[1, ...]"]),
      ("Option<Int>", ["Some(1)", "None"]), ("Result<Int, String>", ["Ok(1)"]),
      // The last of so many cases as no other type has.
      ("Shape", ["Line((1, 2), 3)", "Other(Some([1]))", "Last"]),
    ]
    let all = kinds.flatMap(\.patterns)
    for kind in kinds {
      // By itself, and as a part of a pattern.
      for (type, around) in [(kind.type, "@"), ("(Int, \(kind.type))", "(_, @)"), ("Option<\(kind.type)>", "Some(@)")] {
        var lines = ["type Shape = Dot | Line((Int, Int), Int) | Other(Option<List<Int>>) | Long(Int) | Round | Last"]
        var mistaken: Set<Int> = []
        for a in around == "@" ? all : [kind.patterns[0]] {
          for b in all {
            let arms = [a, b].map { around.replacing("@", with: $0) + " => 1" }.joined(separator: "; ")
            if !kind.patterns.contains(a) || !kind.patterns.contains(b) { mistaken.insert(lines.count) }
            lines.append("f\(lines.count)(v: \(type)) = match v { \(arms); _ => 2 }")
          }
        }
        let check = TypesCheck(lines.joined(separator: "\n"))
        let told = check.diagnostics.filter { $0.severity == .error }.map {
          check.sources[$0.span.file].lineIndex(at: Int($0.span.start))
        }
        let wrong = mistaken.symmetricDifference(told).sorted().prefix(3).map { lines[$0] }
        #expect(wrong.isEmpty, "\(type): \(wrong)")
      }
    }
  }

  @Test func aDefinitionWithAMistakeSilencesNobody() {
    let check = TypesCheck(
      """
      bad = 1 + "x"
      uses = bad + 1
      alsoBad(n, m) = nope
      output a = uses + alsoBad(3, 4) + "y"
      output b = if true then bad else uses
      output c = alsoBad(1)
      output d = 1 + true
      """)
    #expect(check.codes == [.addedTexts, .unknownName, .missingArguments, .typeMismatch])
  }

  @Test func typesThatDoubleAreRefusedFast() {
    var text = "p0 = x => x\n"
    for index in 1...40 { text += "p\(index) = (p\(index - 1), p\(index - 1))\n" }
    text += "d(x) = (x, x)\nq = d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(1))))))))))))))))))))))\noutput n = 1\n"
    let clock = ContinuousClock()
    var codes: [DiagnosticCode] = []
    let time = clock.measure { codes = TypesCheck(text).codes }
    #expect(Set(codes) == [.largeType])
    #expect(time < .seconds(2))
  }

  @Test func overloadsThatDoubleAreRefusedFast() {
    var text = "f0(x) = x |> map(a => a)\n"
    for index in 1...30 { text += "f\(index)(x) = (f\(index - 1)(x), f\(index - 1)(x))\n" }
    text += "output n = 1\n"
    let clock = ContinuousClock()
    var codes: [DiagnosticCode] = []
    let time = clock.measure { codes = TypesCheck(text).codes }
    #expect(codes.contains(.largeType))
    #expect(time < .seconds(4))
  }

  /// In release builds, ten thousand definitions in less than a second; a tenth of them in debug builds.
  @Test func tenThousandDefinitionsAreChecked() {
    #if DEBUG
      let pairs = 500
    #else
      let pairs = 5_000
    #endif
    var text = "input clicks: Event<Int>\nd0 = clicks |> fold(0, (n, k) => n + k)\n"
    for index in 1..<pairs {
      text += "f\(index)(p) = {x: p.x + \(index), y: if p.x > d\(index - 1) then [p.x] else []}\n"
      text += "d\(index) = f\(index)({x: d\(index - 1), z: \"a\"}).x + size(f\(index)({x: \(index)}).y)\n"
    }
    text += "output last = d\(pairs - 1)\n"
    let clock = ContinuousClock()
    var check = TypesCheck("")
    let time = clock.measure { check = TypesCheck(text) }
    #expect(check.diagnostics.isEmpty)
    #expect(check.type("last") == "Int")
    #expect(time < .seconds(2))
  }

  @Test func longChainsAndDeepNestingAreHandled() {
    onLargeStack {
      let sum = (0..<1_500).map(String.init).joined(separator: " + ")
      #expect(TypesCheck("output a = \(sum)\n").codes == [])
      let pipe = "output a = 1" + String(repeating: " |> abs", count: 1_500) + "\n"
      #expect(TypesCheck(pipe).codes == [])
      let nested = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
      #expect(TypesCheck("output a = \(nested)\n").codes == [])
      let deep = String(repeating: "[", count: 1_500) + String(repeating: "]", count: 1_500)
      #expect(TypesCheck("output a = \(deep)\n").codes == [.largeType])
      let parens = String(repeating: "(", count: 1_900) + "1" + String(repeating: ")", count: 1_900)
      #expect(TypesCheck("output a = \(parens)\n").codes == [])
      var chain = "a0 = [1]\n"
      for index in 1..<2_000 { chain += "a\(index) = [a\(index - 1)]\n" }
      #expect(TypesCheck(chain + "output n = 1\n").codes.contains(.largeType))
    }
  }

  @Test func modulesAreLoadedAndNamed() {
    let files = [
      "lib/Geometry.frp":
        "import Base\ntype Shape = Circle(Float) | Dot\nalias Point = {x: Float, y: Float}\narea(s) = match s { Circle(r) => Base.square(r); Dot => 0.0 }\n",
      "lib/Base.frp": "square(x) = x * x\n",
    ]
    let main =
      "import Geometry\np: Geometry.Point = {x: 1, y: 2}\noutput a = Geometry.area(Geometry.Circle(p.x))\noutput b = match Geometry.Dot { Geometry.Circle(r) => r; _ => 1.0 }\n"
    let loaded = ModuleLoader(read: { files[$0].map { Array($0.utf8) } }).load(
      path: "lib/main.frp", bytes: Array(main.utf8))
    #expect(loaded.diagnostics.isEmpty)
    let (program, diagnostics) = checkTypes(loaded.tree, sources: loaded.sources)
    #expect(diagnostics.isEmpty)
    #expect(program?.outputs.map(\.name) == ["a", "b"])
  }

  private func load(_ files: [String: String], list: [String] = []) -> String {
    let loader = ModuleLoader(read: { files[$0].map { Array($0.utf8) } }, list: { _ in list })
    let loaded = loader.load(path: "main.frp", bytes: Array((files["main.frp"] ?? "").utf8))
    var all = loaded.diagnostics
    if all.isEmpty { all = checkTypes(loaded.tree, sources: loaded.sources).diagnostics }
    return renderText(all, sources: loaded.sources)
  }

  /// Types of one name are told apart by their modules, and what is proposed names its module.
  @Test func typesOfOneNameAreToldApart() {
    func said(_ program: String, own: String = "type T = Mine") -> String {
      load([
        "main.frp": "import A\nimport B\n\(own)\n\(program)\n",
        "A.frp": "type T = One | Two(Int)\nalias R = {x: Int}\nvalue = One\nrecord: R = {x: 1}\nf(t: T) = t\n",
        "B.frp": "type T = One | Three\nalias R = {y: Int}\nvalue = Three\nrecord: R = {y: 1}\n",
      ])
    }
    for use in [
      "A.f(B.value)", "[A.value, B.value]", "if 1 == 2 then A.value else B.value", "A.value == B.value", "A.f(Mine)",
      "match A.value { B.One => 1; _ => 2 }", "match A.value { Mine => 1; _ => 2 }", "A.value + 1",
      "[A.value] == [Mine]",
    ] { #expect(said("output x = \(use)").contains("A.T"), "\(use)") }
    #expect(said("output x = A.f(Mine)").contains("needs an A.T, this is a T"))
    #expect(said("output x = A.record == B.record").contains("A.R"))
    #expect(said("output x = match A.value { A.One => 1 }").contains("A.Two(_) => …"))
    #expect(said("input e: Event<A.T>\noutput x = e + 1").contains("e |> hold(A.One)"))
    // Where there is no other the name is enough.
    let alone = load(["main.frp": "import A\noutput x = A.value + 1\n", "A.frp": "type T = One\nvalue = One\n"])
    #expect(alone.contains("this is a T\n") && !alone.contains("A.T"))
  }

  @Test func importMistakesAreExplained() {
    let circle = load([
      "main.frp": "import A\noutput x = A.f(1)\n", "A.frp": "import B\nf(n) = B.g(n)\n",
      "B.frp": "import A\ng(n) = n\n",
    ])
    #expect(circle.contains("E0701") && circle.contains("A.frp:1 → B.frp:1 → A.frp"))
    let missing = load(["main.frp": "import Geometri\noutput x = 1\n"], list: ["Geometry.frp", "main.frp"])
    #expect(missing.contains("E0702") && missing.contains("Geometri.frp") && missing.contains("import Geometry"))
    let lower = load(["main.frp": "import Geometry\noutput x = 1\n", "geometry.frp": "a = 1\n"])
    #expect(lower.contains("E0702") && lower.contains("geometry.frp"))
    let idle = load(["main.frp": "import A\noutput x = 1\n", "A.frp": "side = 1\n"])
    #expect(idle.contains("W0201") && idle.contains("module `A`"))
    let hidden = load(["main.frp": "import A\noutput x = A.sise\n", "A.frp": "side = 1\n"])
    #expect(hidden.contains("E0703") && hidden.contains("A.side"))
  }
}

extension TypesPropertyTests {
  @Test func syntaxErrorsHaveNoFollowers() {
    var sources = SourceMap()
    var tree = Tree()
    let text = """
      f(a, b) = (a + b
      output x = f(1, 2)
      type Shape = Circle( | Dot
      output z = area(Dot)
      area(s) = match s { Circle(r) => r; Dot => 0.0 }
      wrong = 1 + true
      """
    let file = sources.add(SourceFile(name: "main.frp", text: text))
    let (_, problems) = Parser.parse(file, name: "main", in: sources, into: &tree)
    #expect(problems.count >= 2)
    let (program, diagnostics) = checkTypes(tree, sources: sources, syntaxErrors: problems)
    #expect(program == nil)
    #expect(diagnostics.map(\.code) == [.typeMismatch])
  }

  /// What uses a damaged type fits everything.
  @Test func usesOfDamagedTypesHaveNoReports() {
    var sources = SourceMap()
    var tree = Tree()
    let text = """
      type Shape = Circle { r: Float } | Square { w: Float }
      type Point = { x: Float, y: Float }
      alias Size = { w: Float h: Float }
      area(s: Shape) = match s { Circle(r) => r * r; Square(w) => w * w }
      output one = area(Circle(1.0)) + area(Square(w: 2.0))
      wide(s: Size) = s.w > s.h
      output right = wide({ w: 2.0, h: 1.0 })
      sum(p: Point) = p.x + p.y
      output both = [sum({ x: 1.0, y: 2.0 }), sum(Circle)]
      wrong = 1 + true
      """
    let file = sources.add(SourceFile(name: "main.frp", text: text))
    let (_, problems) = Parser.parse(file, name: "main", in: sources, into: &tree)
    #expect(problems.count == 3)
    let (program, diagnostics) = checkTypes(tree, sources: sources, syntaxErrors: problems)
    #expect(program == nil)
    #expect(diagnostics.map(\.code) == [.typeMismatch])
  }
}

extension TypesPropertyTests {
  /// Programs with random damage: whatever they are, there is an answer, with a program or with an error.
  @Test func damagedProgramsAreAnswered() {
    let root = TestFiles.root
    var words: [[Substring]] = []
    for folder in [root + "/examples", TestFiles.tests + "/Golden/types", TestFiles.tests + "/Golden/errors"] {
      for name in TestFiles.names(in: folder, ending: ".frp") {
        guard let text = TestFiles.read(folder + "/" + name + ".frp") else { continue }
        words.append(text.split(separator: " ", omittingEmptySubsequences: false))
      }
    }
    let rounds = getenv("FRP_FUZZ_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 400
    var state: UInt64 = getenv("FRP_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) } ?? 42
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(max(limit, 1)))
    }
    for _ in 0..<rounds {
      var text = words[random(words.count)]
      let other = words[random(words.count)]
      for _ in 0...random(3) where !text.isEmpty && !other.isEmpty {
        switch random(4) {
        case 0: text.remove(at: random(text.count))
        case 1: text[random(text.count)] = other[random(other.count)]
        case 2: text.insert(text[random(text.count)], at: random(text.count))
        default: text.swapAt(random(text.count), random(text.count))
        }
        if text.isEmpty { break }
      }
      let source = text.joined(separator: " ")
      var sources = SourceMap()
      var tree = Tree()
      let file = sources.add(SourceFile(name: "main.frp", text: source))
      let (_, problems) = Parser.parse(file, name: "main", in: sources, into: &tree)
      let (program, diagnostics) = checkTypes(tree, sources: sources, syntaxErrors: problems)
      let hasErrors = (problems + diagnostics).contains { $0.severity == .error }
      if program == nil { #expect(hasErrors, "no program, no error: \(source)") }
      _ = renderText(diagnostics, sources: sources)
      if let program, !hasErrors {
        let isDecided = program.types.allSatisfy { if case .error = $0 { false } else { true } }
        #expect(isDecided || program.exprTypes.count == tree.exprs.count)
      }
    }
  }
}

extension TypesPropertyTests {
  /// A program without errors has a type at every node, and a resolution at every name.
  @Test func everyNodeHasAType() {
    let root = TestFiles.root
    for folder in [root + "/examples", TestFiles.tests + "/Golden/types"] {
      for name in TestFiles.names(in: folder, ending: ".frp") {
        let check = TypesCheck(TestFiles.read(folder + "/" + name + ".frp") ?? "", name: name)
        guard let program = check.program else {
          Issue.record("\(name) has errors: \(check.codes)")
          continue
        }
        for (index, expr) in program.tree.exprs.enumerated() {
          let text = program.sources.text(program.tree.exprSpans[index])
          // The parser folds `-1` into one literal; the `1` belongs to nothing.
          if case .int = expr { continue }
          if case .float = expr { continue }
          if case .error = program[program.exprTypes[index]] { Issue.record("\(name): no type for \(text)") }
          switch (expr, program.resolutions[index]) {
          case (.name, .none), (.constructor, .none), (.qualified, .none):
            Issue.record("\(name): \(text) is unresolved")
          default: break
          }
        }
        for (index, type) in program.patternTypes.enumerated() {
          guard case .error = program[type] else { continue }
          Issue.record("\(name): no type for the pattern \(program.sources.text(program.tree.patternSpans[index]))")
        }
        for (pattern, canonical) in program.alternativeBinders { #expect(pattern != canonical) }
      }
    }
  }
}
