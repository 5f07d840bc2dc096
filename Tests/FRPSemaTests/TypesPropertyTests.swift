import FRPBase
import FRPCore
import FRPSema
import FRPSyntax
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
      let containers = rows.map { "\(Builtins.all[$0].container)/\(Signature.all[$0].parameters?.count ?? 0)" }
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
    let root = GoldenFiles.tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let names = GoldenFiles.names(in: root + "/examples", ending: ".frp")
    #expect(names.count > 20)
    for name in names {
      let source = GoldenFiles.read(root + "/examples/" + name + ".frp") ?? ""
      let errors = TypesCheck(source, name: name).diagnostics.filter { $0.severity == .error }
      #expect(errors.isEmpty, "\(name): \(errors.map { "\($0.code) \($0.title)" })")
    }
  }

  @Test func aDefinitionWithAMistakeSilencesNobody() {
    let check = TypesCheck(
      """
      bad = 1 + "x"
      uses = bad + 1
      alsoBad(n) = nope
      output a = uses + alsoBad(3) + "y"
      output b = if true then bad else uses
      output c = alsoBad(1, 2)
      output d = 1 + true
      """)
    #expect(check.codes == ["E0310", "E0201", "E0302", "E0301"] || check.codes == ["E0310", "E0201", "E0303", "E0301"])
  }

  @Test func typesThatDoubleAreRefusedFast() {
    var text = "p0 = x => x\n"
    for index in 1...40 { text += "p\(index) = (p\(index - 1), p\(index - 1))\n" }
    text += "d(x) = (x, x)\nq = d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(d(1))))))))))))))))))))))\noutput n = 1\n"
    let clock = ContinuousClock()
    var codes: [String] = []
    let time = clock.measure { codes = TypesCheck(text).codes }
    #expect(Set(codes) == ["E0313"])
    #expect(time < .seconds(2))
  }

  @Test func overloadsThatDoubleAreRefusedFast() {
    var text = "f0(x) = x |> map(a => a)\n"
    for index in 1...30 { text += "f\(index)(x) = (f\(index - 1)(x), f\(index - 1)(x))\n" }
    text += "output n = 1\n"
    let clock = ContinuousClock()
    var codes: [String] = []
    let time = clock.measure { codes = TypesCheck(text).codes }
    #expect(codes.contains("E0313"))
    #expect(time < .seconds(4))
  }

  @Test func tenThousandDefinitionsAreChecked() {
    var text = "input clicks: Event<Int>\nd0 = clicks |> fold(0, (n, k) => n + k)\n"
    for index in 1..<5_000 {
      text += "f\(index)(p) = {x: p.x + \(index), y: if p.x > d\(index - 1) then [p.x] else []}\n"
      text += "d\(index) = f\(index)({x: d\(index - 1), z: \"a\"}).x + size(f\(index)({x: \(index)}).y)\n"
    }
    text += "output last = d4999\n"
    let clock = ContinuousClock()
    var check = TypesCheck("")
    let time = clock.measure { check = TypesCheck(text) }
    #expect(check.diagnostics.isEmpty)
    #expect(check.type("last") == "Int")
    print("10,000 definitions: \(time)")
  }

  @Test func longChainsAndDeepNestingAreHandled() {
    onBigStack {
      let sum = (0..<1_500).map(String.init).joined(separator: " + ")
      #expect(TypesCheck("output a = \(sum)\n").codes == [])
      let pipe = "output a = 1" + String(repeating: " |> abs", count: 1_500) + "\n"
      #expect(TypesCheck(pipe).codes == [])
      let nested = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
      #expect(TypesCheck("output a = \(nested)\n").codes == [])
      let deep = String(repeating: "[", count: 1_500) + String(repeating: "]", count: 1_500)
      #expect(TypesCheck("output a = \(deep)\n").codes == ["E0313"])
      let parens = String(repeating: "(", count: 1_900) + "1" + String(repeating: ")", count: 1_900)
      #expect(TypesCheck("output a = \(parens)\n").codes == [])
      var chain = "a0 = [1]\n"
      for index in 1..<2_000 { chain += "a\(index) = [a\(index - 1)]\n" }
      #expect(TypesCheck(chain + "output n = 1\n").codes.contains("E0313"))
    }
  }

  @Test func modulesAreLoadedAndNamed() {
    let files = [
      "lib/Geometry.frp": "import Base\ntype Shape = Circle(Float) | Dot\nalias Point = {x: Float, y: Float}\narea(s) = match s { Circle(r) => Base.square(r); Dot => 0.0 }\n",
      "lib/Base.frp": "square(x) = x * x\n",
    ]
    let main = "import Geometry\np: Geometry.Point = {x: 1, y: 2}\noutput a = Geometry.area(Geometry.Circle(p.x))\noutput b = match Geometry.Dot { Geometry.Circle(r) => r; _ => 1.0 }\n"
    let loaded = ModuleLoader(read: { files[$0].map { Array($0.utf8) } }).load(path: "lib/main.frp", bytes: Array(main.utf8))
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

  @Test func importMistakesAreExplained() {
    let circle = load([
      "main.frp": "import A\noutput x = A.f(1)\n", "A.frp": "import B\nf(n) = B.g(n)\n", "B.frp": "import A\ng(n) = n\n",
    ])
    #expect(circle.contains("E0701") && circle.contains("A.frp:1 → B.frp:1 → A.frp"))
    let missing = load(["main.frp": "import Geometri\noutput x = 1\n"], list: ["Geometry.frp", "main.frp"])
    #expect(missing.contains("E0702") && missing.contains("Geometri.frp") && missing.contains("import Geometry"))
    let lower = load(["main.frp": "import Geometry\noutput x = 1\n", "geometry.frp": "a = 1\n"])
    #expect(lower.contains("E0702") && lower.contains("geometry.frp"))
    let hidden = load(["main.frp": "import A\noutput x = A.sise\n", "A.frp": "side = 1\n"])
    #expect(hidden.contains("E0703") && hidden.contains("A.side"))
  }
}

/// Runs a test on a thread with as much stack as the program itself has.
func onBigStack(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 1 << 30)
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  let status = pthread_create(
    &thread, &attributes,
    { argument in
      if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
      return nil
    }, box.toOpaque())
  if status == 0 { pthread_join(thread, nil) }
}
