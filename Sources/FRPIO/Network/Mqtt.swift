// MQTT: messages of topics, and publications that end when the broker has them. QoS 1.
//
// Rules
// - Who names the same broker shares one connection to it, which is given up when nobody has used it for half a minute.
// - While one of its listeners is paused nothing is read of the connection: the broker keeps what comes, as it is told to.
// - A connection that does not come about, or breaks, ends every stream and publication of it with its sentence; whoever
//   listens again, begins again.

import CNet
import Glibc

public enum Mqtt {
  /// Messages of the topics that a filter names, as they come: bytes, of whatever meaning. `opened`: the broker listens.
  public static func messages(
    _ broker: String, _ topic: String, _ grants: Grants, authorities: String? = nil,
    opened: @escaping @Sendable () -> Void = {}, item: @escaping @Sendable ([UInt8]) -> Void,
    end: @escaping Completion<Void>
  ) -> any Flow {
    let stream = Stream(item: item, end: end)
    IOLoop.shared.run {
      do throws(IOError) {
        try MqttBroker.shared(broker, grants, authorities).listen(MqttListener(topic, stream, opened))
      } catch {
        stream.fail(error)
      }
    }
    return stream
  }

  /// Publishes; it ends when the broker has acknowledged it.
  @discardableResult
  public static func publish(
    _ broker: String, _ topic: String, _ body: [UInt8], _ grants: Grants, authorities: String? = nil,
    _ completion: @escaping Completion<Void>
  ) -> any Operation {
    let call = Call(completion)
    IOLoop.shared.run {
      if !call.isPending { return }
      do throws(IOError) {
        try MqttBroker.shared(broker, grants, authorities).publish(topic, body, call)
      } catch {
        call.fail(error)
      }
    }
    return call
  }

  /// Whether a filter (`home/+/light`, `home/#`) names a topic. `#` at its end is any number of levels, none included; neither sign
  /// stands for a first level that begins with `$`.
  static func names(_ filter: String, _ topic: String) -> Bool {
    let (wanted, given) = (
      filter.utf8.split(separator: 0x2F, omittingEmptySubsequences: false),
      topic.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    )
    if topic.utf8.first == 0x24, let first = wanted.first,
      first.elementsEqual("+".utf8) || first.elementsEqual("#".utf8)
    {
      return false
    }
    for (index, level) in wanted.enumerated() {
      if level.elementsEqual("#".utf8) { return index == wanted.count - 1 }
      if index >= given.count || !level.elementsEqual("+".utf8) && !level.elementsEqual(given[index]) { return false }
    }
    return wanted.count == given.count
  }

  /// A filter that a broker understands: UTF-8 without NUL, `+` a level of its own, `#` the last.
  static func isFilter(_ text: String) -> Bool {
    let levels = text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    if text.isEmpty || text.utf8.count > 65535 || text.utf8.contains(0) { return false }
    return levels.enumerated().allSatisfy { index, level in
      let hasSign = level.contains(0x2B) || level.contains(0x23)
      return !hasSign || level.count == 1 && (level.first == 0x2B || index == levels.count - 1)
    }
  }
}

/// Who listens to a topic. On the loop's thread only.
private final class MqttListener: @unchecked Sendable {
  let topic: String
  let stream: Stream<[UInt8]>
  let opened: @Sendable () -> Void
  /// What has come and is not wanted yet, and the end after it.
  var pending: [[UInt8]] = []
  var ending: IOError?

  init(_ topic: String, _ stream: Stream<[UInt8]>, _ opened: @escaping @Sendable () -> Void) {
    (self.topic, self.stream, self.opened) = (topic, stream, opened)
  }

  func take(_ message: [UInt8]) {
    if pending.isEmpty && stream.isWanted { stream.give(message) } else { pending.append(message) }
  }

  func drain() {
    var count = 0
    while count < pending.count, stream.isWanted {
      stream.give(pending[count])
      count += 1
    }
    pending.removeFirst(count)
    if let ending, pending.isEmpty, stream.isWanted { stream.fail(ending) }
  }

  var isHeld: Bool { stream.isOpen && !(pending.isEmpty && stream.isWanted) }
}

/// One connection. On the loop's thread only.
private final class MqttBroker: @unchecked Sendable {
  private struct Key: Hashable {
    var url: String
    var authorities: String?
  }

  private static let brokers = LoopLocal([Key: MqttBroker]())
  private static let idleSeconds = 30

  private let key: Key
  private let url: NetURL
  private let library: NetLibrary
  private var handle: OpaquePointer?
  private var isOpen = false
  private var addresses: AddressCheck
  private var listeners: [MqttListener] = []
  /// By the number of what was asked: the topic of a subscription, and publications.
  private var subscribing: [Int32: String] = [:]
  private var publishing: [Int32: Call<Void>] = [:]
  private var unsent: [(topic: String, body: [UInt8], call: Call<Void>)] = []
  private var ticker: IOTimer?
  private var idle = 0

  static func shared(_ text: String, _ grants: Grants, _ authorities: String?) throws(IOError) -> MqttBroker {
    let key = Key(url: text, authorities: authorities)
    let library = try NetLibrary.onLoop()
    let url = try NetURL(text, schemes: ["mqtt", "mqtts"], library)
    try grants.check(host: url.host, port: url.port)
    if let known = brokers.with({ $0[key] }) { return known }
    let made = MqttBroker(key, url, grants, library)
    brokers.with { $0[key] = made }
    try made.open()
    return made
  }

  private init(_ key: Key, _ url: NetURL, _ grants: Grants, _ library: NetLibrary) {
    (self.key, self.url, self.library, addresses) = (key, url, library, AddressCheck(grants))
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> MqttBroker {
    Unmanaged.fromOpaque(context).takeUnretainedValue()
  }

  private func open() throws(IOError) {
    var request = frp_mqtt_request()
    request.port = Int32(url.port)
    request.has_tls = url.scheme == "mqtts" ? 1 : 0
    request.keep_alive_seconds = 60
    // The table of brokers keeps it until `forget`.
    request.context = Unmanaged.passUnretained(self).toOpaque()
    request.permits = {
      let broker = MqttBroker.from($0)
      return broker.addresses.permits($1, of: broker.url) ? 1 : 0
    }
    request.opened = { MqttBroker.from($0).opened() }
    request.message = {
      MqttBroker.from($0).received(String(cString: $1), Array(UnsafeBufferPointer(start: $2, count: $3)))
    }
    request.acknowledged = { MqttBroker.from($0).acknowledged($1, isRefused: $2 != 0) }
    request.ended = { MqttBroker.from($0).ended(String(cString: $1)) }
    handle = withTexts(&request) { library.functions.mqtt_open(library.net, $0) }
    if handle == nil {
      forget()
      throw IOError("\(url.place): no memory")
    }
    tick()
  }

  private func withTexts(_ request: inout frp_mqtt_request, _ body: (UnsafePointer<frp_mqtt_request>) -> OpaquePointer?)
    -> OpaquePointer?
  {
    let words: [String] = [url.host, url.user, url.password, key.authorities ?? ""]
    let texts = words.map { strdup($0) }
    defer { for text in texts { free(text) } }
    request.host = UnsafePointer(texts[0])
    if !url.user.isEmpty { (request.user, request.password) = (UnsafePointer(texts[1]), UnsafePointer(texts[2])) }
    if key.authorities != nil { request.authorities = UnsafePointer(texts[3]) }
    return body(&request)
  }

  // MARK: What is asked

  func listen(_ listener: MqttListener) throws(IOError) {
    if !Mqtt.isFilter(listener.topic) { throw IOError("no topic: \(listener.topic)") }
    let isNew = !listeners.contains { $0.topic == listener.topic }
    listeners.append(listener)
    listener.stream.onChange(
      .init(
        resume: { [weak self] in
          listener.drain()
          self?.update()
        }, cancel: { [weak self] in self?.drop(listener) }))
    guard isOpen else { return }
    if isNew { subscribe(listener.topic) } else if !subscribing.values.contains(listener.topic) { listener.opened() }
  }

  private func subscribe(_ topic: String) {
    guard let handle else { return }
    let number = library.functions.mqtt_subscribe(handle, topic)
    if number >= 0 { subscribing[number] = topic } else { refuse(topic) }
  }

  private func refuse(_ topic: String) {
    for listener in listeners where listener.topic == topic {
      listener.stream.fail(IOError("the broker \(url.place) refuses the topic \(topic)"))
    }
    listeners.removeAll { $0.topic == topic }
    update()
  }

  private func drop(_ listener: MqttListener) {
    listeners.removeAll { $0 === listener }
    if let handle, isOpen, !listeners.contains(where: { $0.topic == listener.topic }) {
      _ = library.functions.mqtt_unsubscribe(handle, listener.topic)
    }
    update()
  }

  func publish(_ topic: String, _ body: [UInt8], _ call: Call<Void>) throws(IOError) {
    if !Mqtt.isFilter(topic) || topic.utf8.contains(where: { $0 == 0x2B || $0 == 0x23 }) {
      throw IOError("no topic to publish to: \(topic)")
    }
    if body.count > 268_435_455 { throw IOError("a message has at most 268435455 bytes") }
    idle = 0
    if isOpen { send(topic, body, call) } else { unsent.append((topic, body, call)) }
  }

  private func send(_ topic: String, _ body: [UInt8], _ call: Call<Void>) {
    guard let handle else { return }
    let number = body.withUnsafeBufferPointer {
      library.functions.mqtt_publish(handle, topic, $0.baseAddress, $0.count)
    }
    if number >= 0 {
      publishing[number] = call
    } else {
      call.fail(IOError("the broker \(url.place) cannot be told of \(topic)"))
    }
  }

  // MARK: What the library calls

  private func opened() {
    isOpen = true
    for topic in Set(listeners.map(\.topic)).sorted() { subscribe(topic) }
    let waiting = unsent
    unsent = []
    for one in waiting where one.call.isPending { send(one.topic, one.body, one.call) }
  }

  private func received(_ topic: String, _ message: [UInt8]) {
    for listener in listeners where Mqtt.names(listener.topic, topic) { listener.take(message) }
    update()
  }

  private func acknowledged(_ number: Int32, isRefused: Bool) {
    if let call = publishing.removeValue(forKey: number) { return call.succeed(()) }
    guard let topic = subscribing.removeValue(forKey: number) else { return }
    if isRefused { return refuse(topic) }
    for listener in listeners where listener.topic == topic { listener.opened() }
  }

  private func ended(_ problem: String) {
    handle = nil
    let error = addresses.problem(problem, of: url)
    for call in publishing.values { call.fail(error) }
    for one in unsent { one.call.fail(error) }
    for listener in listeners {
      listener.ending = error
      listener.drain()
    }
    forget()
  }

  // MARK: Time

  /// Reads while everybody wants more.
  private func update() {
    if let handle, isOpen { library.functions.mqtt_pause(handle, listeners.contains(where: \.isHeld) ? 1 : 0) }
  }

  private func tick() {
    ticker = IOLoop.shared.after(1_000_000_000) { [weak self] in
      guard let self, let handle else { return }
      idle = listeners.isEmpty && publishing.isEmpty && unsent.isEmpty ? idle + 1 : 0
      if idle > Self.idleSeconds {
        self.handle = nil
        library.functions.mqtt_close(handle)
        return forget()
      }
      tick()
      library.functions.mqtt_tick(handle)
    }
  }

  private func forget() {
    ticker?.cancel()
    Self.brokers.with { if $0[key] === self { $0[key] = nil } }
    // The library may be about to leave a callback.
    IOLoop.shared.run { _ = self }
  }
}
