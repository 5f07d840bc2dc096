// Process: other programs.

import FRP
import FRPIO

extension World {
  var process: HostModule {
    let processes = Processes(access)
    return HostModule("Process", help: "Other programs, without a shell. Each ends with what began it.") { module in
      module.operation(
        "run(program: String, arguments: List<String>): Task<{status: Int, out: String, err: String}>",
        help: "Runs a program to its end."
      ) { call in
        calling({ processes.run(call.text(0), call.texts(1), completion: $0) }) { (result: ProcessResult) in
          guard let out = String(validating: result.out, as: UTF8.self),
            let err = String(validating: result.err, as: UTF8.self)
          else { return .failure(FrpError("what \(call.text(0)) writes is not UTF-8")) }
          return .success(.value(.record(["status": .integer(result.status), "out": .text(out), "err": .text(err)])))
        }
      }
      module.operation(
        "lines(program: String, arguments: List<String>): Source<String>",
        help: "The lines that a program writes, as they come; it ends with an error unless the status is 0."
      ) { call in
        bringing { processes.lines(call.text(0), call.texts(1), item: $0, end: $1) }
      }
    }
  }
}
