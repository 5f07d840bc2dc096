import FRPBase
import FRPCore
import FRPGraph
import FRPRuntime

/// Writes core programs by hand.
struct CoreWriter {
  var core = CoreProgram(sources: SourceMap())
  var offset = 0

  mutating func add(_ expr: CoreExpr, _ type: TypeID) -> CoreExprID {
    offset += 1
    return core.add(expr, type, Span(file: FileID(0), start: offset, end: offset + 1))
  }
  mutating func int(_ value: Int) -> CoreExprID { add(.int(value), .int) }
  mutating func float(_ value: Double) -> CoreExprID { add(.float(value), .float) }
  mutating func bool(_ value: Bool) -> CoreExprID { add(.bool(value), .bool) }
  mutating func string(_ value: String) -> CoreExprID { add(.string(value), .string) }
  mutating func prim(_ prim: Prim, _ type: TypeID, _ arguments: CoreExprID...) -> CoreExprID {
    add(.prim(prim, arguments), type)
  }
  mutating func local(_ name: String, _ type: TypeID, isLazy: Bool = false) -> (LocalID, CoreExprID) {
    let local = core.addLocal(name, type, isLazy: isLazy)
    return (local, add(.local(local), type))
  }
  mutating func conditional(_ c: CoreExprID, _ a: CoreExprID, _ b: CoreExprID) -> CoreExprID {
    add(.conditional(c, then: a, otherwise: b), core.type(a))
  }
  /// A function whose body is made once its own id is known.
  mutating func function(
    _ name: String, _ parameters: [LocalID], _ result: TypeID, _ body: (inout CoreWriter, FunctionID) -> CoreExprID
  ) -> FunctionID {
    let id = FunctionID(core.functions.count)
    let type = core.types.intern(.function(parameters.map { core.localTypes[$0.index] }, result))
    core.functions.append(
      CoreFunction(name: name, parameters: parameters, body: CoreExprID(0), type: type))
    let root = body(&self, id)
    core.functions[id.index].body = root
    return id
  }
  mutating func behavior(_ op: NodeOp, _ type: TypeID, continuous: Bool = false, in scope: ScopeID = .program) -> NodeID
  {
    var node = CoreNode(op: op, scope: scope, type: type, span: .none, definition: "n")
    node.isContinuous = continuous
    return core.addNode(node)
  }
}

/// A program whose entries are plain functions of words.
final class Session {
  let machine: Machine
  let entries: [CodeID]
  let base: UnsafeMutablePointer<UInt64>
  let layout: Layout

  init(_ core: CoreProgram, _ lambdas: [CoreLambda], limitBytes: Int = 4 << 30, stackWords: Int = 16 << 20) {
    var core = core
    // Nodes make the lambdas live.
    let input = core.addNode(
      CoreNode(
        op: .inputEvent(port: 0), scope: .program, type: core.types.event(.unit), span: .none, definition: "e"))
    for lambda in lambdas {
      _ = core.addNode(
        CoreNode(
          op: .map(input, lambda), scope: .program, type: core.types.event(.unit), span: .none, definition: "m"))
    }
    layout = Layout(core)
    var compiler = CodeCompiler(core: core, layout: layout)
    entries = lambdas.map { compiler.compile($0, in: .program) }
    machine = Machine(code: compiler.code, types: core.types, limitBytes: limitBytes, stackWords: stackWords)
    base = .allocate(capacity: 256)
    base.initialize(repeating: 0, count: 256)
  }

  deinit { base.deallocate() }

  func run(_ entry: Int = 0, _ a: Word = 0, _ b: Word = 0, _ c: Word = 0) throws(Fault) -> Word {
    try machine.run(entries[entry], base: base, with: a, b, c)
  }

  func fault(_ entry: Int = 0, _ a: Word = 0, _ b: Word = 0, _ c: Word = 0) -> Fault? {
    do throws(Fault) {
      _ = try run(entry, a, b, c)
      return nil
    } catch { return error }
  }

  /// The instructions, for looking at.
  func listing(_ entry: Int = 0) -> [Op] {
    let code = machine.code.entries[entries[entry].index]
    return machine.code.instructions[Int(code.start)..<Int(code.start + code.count)].map(\.op)
  }
}
