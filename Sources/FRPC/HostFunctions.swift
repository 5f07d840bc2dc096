// Functions and tasks of a host that is written in C: a callback with the caller's pointer, values as JSON.

import FRP

/// frp_host_function of frp.h.
public typealias HostCallback =
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int,
    UnsafeMutablePointer<Int>?
  ) -> Int32

/// The last parameter of frp_set_destroy.
public typealias HostDestroy = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// The caller's function and pointer. Who shares a program among threads has promised that both may be used there.
final class Caller: @unchecked Sendable {
  private let callback: HostCallback
  private let user: UnsafeMutableRawPointer?
  /// Told when nobody can call any more. Set once, by who has the program's handle.
  var destroy: HostDestroy?

  init(_ callback: @escaping HostCallback, _ user: UnsafeMutableRawPointer?) {
    self.callback = callback
    self.user = user
  }

  deinit { destroy?(user) }

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
  program?.pointee = 0
  let caller = function.map { Caller($0, user) }
  guard let host = hostModule(module, moduleLength, interface, interfaceLength, caller) else {
    return Status.badArgument.rawValue
  }
  return compile(name, nameLength, text, length, host: [host], caller, CheckLimits(), program)
}

@c(frp_compile_with_limits) public func compileWithLimits(
  _ name: UnsafePointer<UInt8>?, _ nameLength: Int, _ text: UnsafePointer<UInt8>?, _ length: Int,
  _ limits: UnsafePointer<UInt64>?, _ limitCount: Int,
  _ module: UnsafePointer<UInt8>?, _ moduleLength: Int, _ interface: UnsafePointer<UInt8>?, _ interfaceLength: Int,
  _ function: HostCallback?, _ user: UnsafeMutableRawPointer?, _ program: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  program?.pointee = 0
  guard let numbers = given(limits, limitCount), numbers.count <= CheckLimits.count else {
    return Status.badArgument.rawValue
  }
  let caller = function.map { Caller($0, user) }
  var host: [HostModule] = []
  if module != nil || moduleLength != 0 {
    guard let module = hostModule(module, moduleLength, interface, interfaceLength, caller) else {
      return Status.badArgument.rawValue
    }
    host = [module]
  }
  return compile(name, nameLength, text, length, host: host, caller, CheckLimits(Array(numbers)), program)
}

@c(frp_set_destroy) public func setDestroy(_ program: UInt64, _ destroy: HostDestroy?) -> Int32 {
  Handles.withProgram(program) { box in
    guard let caller = box.caller else { return box.fails(.nothing, "the program has no function of the host") }
    caller.destroy = destroy
    return .ok
  }
}

extension CheckLimits {
  /// How many numbers there can be.
  fileprivate static var count: Int { 3 }

  /// In the order of frp.h; 0 stands for the default.
  fileprivate init(_ numbers: [UInt64]) {
    self.init()
    if !numbers.isEmpty, numbers[0] != 0 { steps = Int(clamping: numbers[0]) }
    if numbers.count > 1, numbers[1] != 0 { memoryBytes = Int(clamping: numbers[1]) }
    if numbers.count > 2, numbers[2] != 0 { seconds = Double(numbers[2]) / 1000 }
  }
}

/// A module of the caller; nil where its texts are none.
private func hostModule(
  _ module: UnsafePointer<UInt8>?, _ moduleLength: Int, _ interface: UnsafePointer<UInt8>?, _ interfaceLength: Int,
  _ caller: Caller?
) -> HostModule? {
  guard let module = string(module, moduleLength), let interface = string(interface, interfaceLength) else {
    return nil
  }
  guard let caller else { return HostModule(module, interface: interface) }
  return HostModule(module, interface: interface) { try caller.call($0, $1) }
}

@c(frp_tasks) public func tasks(
  _ run: UInt64, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ needed: UnsafeMutablePointer<Int>?
) -> Int32 {
  Handles.withRun(run) { box in
    let lines = box.simulation.tasks.map { task in
      "{\"task\":\(task.id),\"name\":\(jsonText(task.name)),\"arguments\":\(FrpValue.list(task.arguments).json)}\n"
    }
    return box.give(lines.joined().utf8, buffer, capacity, needed)
  }
}

@c(frp_end_task) public func endTask(
  _ run: UInt64, _ task: Int64, _ isOk: Int32, _ text: UnsafePointer<UInt8>?, _ length: Int
) -> Int32 {
  Handles.withRun(run) { box in
    guard let bytes = box.bytes(text, length, "the text") else { return .badArgument }
    guard let text = String(validating: bytes, as: UTF8.self) else { return box.fails(.unfit, "the text is no UTF-8") }
    if let why = box.whyNotNow { return why }
    guard box.simulation.isUnderway(Int(task)) else { return box.fails(.nothing, "no task \(task) is under way") }
    return box.attempt { (simulation) throws(SimulationError) in
      if isOk != 0 {
        try simulation.end(Int(task), json: text)
      } else {
        try simulation.end(Int(task), with: .failure(FrpError(text)))
      }
    }
  }
}
