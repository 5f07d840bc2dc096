// stub
import FRPBase
import FRPCore

public struct CodeCompiler {
  public private(set) var code = CodeTable()
  let core: CoreProgram
  let layout: Layout
  public init(core: CoreProgram, layout: Layout) {
    self.core = core
    self.layout = layout
    code.pullCode = [Int32](repeating: -1, count: core.nodes.count)
  }
  public mutating func compile(_ lambda: CoreLambda, in scope: ScopeID) -> CodeID { CodeID(0) }
  public mutating func compile(expression: CoreExprID, in scope: ScopeID) -> CodeID { CodeID(0) }
}
