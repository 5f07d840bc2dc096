// Mqtt: topics of a broker.

import FRP
import FRPIO

extension World {
  var mqtt: HostModule {
    HostModule(
      "Mqtt",
      help:
        "MQTT, with QoS 1. A broker is `mqtt://host:port` or `mqtts://…`, with `user:password@` where it asks for it."
    ) {
      module in
      module.operation(
        "messages(broker: String, topic: String): Source<a>", decodes: true,
        help: "The messages of a topic, which may have `+` and `#`. It ends with the connection: `reconnect`."
      ) { call in
        { report in
          Underway(
            Mqtt.messages(
              call.text(0), call.text(1), self.grants, opened: { report(.opened) },
              item: { report(.item(HostAnswer($0))) },
              end: ending(report)))
        }
      }
      module.operation(
        "publish(broker: String, topic: String, message: a): Task<()>",
        help: "Publishes, and ends when the broker has it."
      ) { call in
        calling({ Mqtt.publish(call.text(0), call.text(1), Array(call.body(2).utf8), self.grants, $0) }) {
          .success(.value(.unit))
        }
      }
    }
  }
}
