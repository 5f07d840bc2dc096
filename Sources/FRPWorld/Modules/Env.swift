// Env: variables of the environment. The smallest module, and the one to copy: a declaration, its words, what it does.

import FRP
import FRPIO

extension World {
  var env: HostModule {
    let environment = Environment(grants)
    return HostModule("Env", help: "Variables of the environment that --allow-env names.") { module in
      module.operation(
        "value(name: String): Source<String>", isThere: true, help: "What a variable is set to: once, before the start."
      ) { call in
        { report in
          AtOnce {
            do throws(IOError) {
              report(.item(.value(.text(try environment.value(call.text(0))))))
              report(.ended(.success(.value(.unit))))
            } catch { report(.ended(.failure(FrpError(error.message)))) }
          }
        }
      }
      module.operation(
        "secret(name: String): Task<Secret>", help: "The same as a Secret, which is shown and recorded as `•••`."
      ) { call in
        { report in
          AtOnce {
            do throws(IOError) {
              report(.ended(.success(.value(.secret(try environment.value(call.text(0)))))))
            } catch { report(.ended(.failure(FrpError(error.message)))) }
          }
        }
      }
    }
  }
}
