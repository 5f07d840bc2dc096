// Functions and tasks of a host that is written in C: a callback with the caller's pointer, values as JSON.

import FRP

/// frp_host_function of frp.h.
public typealias HostCallback =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int,
    UnsafeMutablePointer<Int>?
  ) -> Int32

/// The caller's function and pointer. Who shares a program among threads has promised that both may be used there.
private struct Caller: @unchecked Sendable {
  let callback: HostCallback
  let user: UnsafeMutableRawPointer?

  func call(_ name: String, _ arguments: String) throws -> String {
    let name = Array(name.utf8)
    let arguments = Array(arguments.utf8)
    var result = [UInt8](repeating: 0, count: 4096)
    for _ in 0..<3 {
      var needed = 0
      let status = name.withUnsafeBufferPointer { name in
        arguments.withUnsafeBufferPointer { arguments in
          result.withUnsafeMutableBufferPointer { result in
            callback(
              user, name.baseAddress, name.count, arguments.baseAddress, arguments.count, result.baseAddress,
              result.count, &needed)
          }
        }
      }
      needed = max(0, needed)
      if Status(rawValue: status) == .tooSmall || needed > result.count {
        if needed <= result.count || needed > 1 << 30 { break }
        result = [UInt8](repeating: 0, count: needed)
        continue
      }
      guard let text = String(validating: result[..<needed], as: UTF8.self) else { break }
      if Status(rawValue: status) != .ok { throw FrpError(text.isEmpty ? "it gave \(status)" : text) }
      return text
    }
    throw FrpError("it gave no text")
  }
}

@c(frp_compile_with_host) public func compileWithHost(
  _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ text: UnsafePointer<UInt8>?, _ length: Int,
  _ module: UnsafePointer<UInt8>?, _ moduleLength: Int, _ interface: UnsafePointer<UInt8>?, _ interfaceLength: Int,
  _ function: HostCallback?, _ user: UnsafeMutableRawPointer?, _ program: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  guard let program, let name = string(name, nameLength), let module = string(module, moduleLength),
    let interface = string(interface, interfaceLength), length >= 0, text != nil || length == 0
  else { return Status.badArgument.rawValue }
  let source = Source(name: name, bytes: Array(UnsafeBufferPointer(start: text, count: length)))
  let host: HostModule
  if let function {
    let caller = Caller(callback: function, user: user)
    host = HostModule(module, interface: interface) { try caller.call($0, $1) }
  } else {
    host = HostModule(module, interface: interface)
  }
  let compiled = Program(source, host: [host])
  program.pointee = Handles.add(ProgramBox(compiled))
  return (compiled.hasErrors ? Status.programHasErrors : .ok).rawValue
}

@c(frp_tasks) public func tasks(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.with(run, as: RunBox.self) { box in
    let lines = box.simulation.tasks.map { task in
      "{\"task\":\(task.id),\"name\":\(jsonText(task.name)),\"arguments\":\(FrpValue.list(task.arguments).json)}\n"
    }
    return copy(lines.joined().utf8, buffer, capacity, needed)
  }
}

@c(frp_end_task) public func endTask(
  _ run: UInt64, _ task: Int64, _ isOk: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int
) -> Int32 {
  guard let text = string(text, length) else { return Status.unfit.rawValue }
  return Handles.with(run, as: RunBox.self) { box in
    box.attempt { (simulation) throws(SimulationError) in
      if isOk != 0 {
        try simulation.end(Int(task), json: text)
      } else {
        try simulation.end(Int(task), with: .failure(FrpError(text)))
      }
    }
  }
}
