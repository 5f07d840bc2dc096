// From text to the meaning: the whole front end, then the model. What every test of meaning starts from.

import FRPBase
import FRPCore
import FRPModel
import FRPSema
import FRPSyntax
import Glibc

/// A program, compiled as far as the core.
public struct Compiled: Sendable {
  public var typed: TypedProgram?
  public var core: CoreProgram?
  public var diagnostics: [Diagnostic]
  public var sources: SourceMap

  /// Compiles a text, which may call the functions of `HostExamples` if `hasHost`.
  public init(_ text: String, name: String = "main.frp", hasHost: Bool = false) {
    let loader = ModuleLoader(read: { _ in nil }, hosts: hasHost ? [HostExamples.text] : [])
    let loaded = loader.load(path: name, bytes: Array(text.utf8))
    let (tree, sources, problems) = (loaded.tree, loaded.sources, loaded.diagnostics)
    self.sources = sources
    diagnostics = problems
    if problems.contains(where: { $0.severity == .error }) { return }
    let (program, more) = checkTypes(tree, sources: sources)
    diagnostics += more
    guard let program, !more.contains(where: { $0.severity == .error }) else { return }
    typed = program
    let (core, last) = elaborate(program)
    diagnostics += last
    self.core = core
  }

  /// What is wrong, a line a problem.
  public var problems: String {
    diagnostics.filter { $0.severity == .error }.map { "\($0.code): \($0.title)" }.joined(separator: "\n")
  }
}

private final class Entry {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

/// Runs `body` on a thread with a large stack and waits for it.
public func onLargeStack<Value>(_ body: @escaping () -> Value) -> Value {
  var result: Value?
  withoutActuallyEscaping({ result = body() }) { run in
    let entry = Unmanaged.passRetained(Entry(run))
    defer { entry.release() }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 1 << 29)
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, &attributes,
      { pointer in
        if let pointer { Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue().run() }
        return nil
      }, entry.toOpaque())
    if failure == 0 { pthread_join(thread, nil) }
  }
  return result ?? body()
}
