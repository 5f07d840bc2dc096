// What a source of the host has brought and nobody has taken: a queue with a limit, at which the source is paused, so that
// whoever sends to it waits. Nothing is dropped.

import Synchronization

/// A source under way, for one Swift task that takes what it reports.
final class SourceInlet: Sendable {
  /// How many reports may wait before the source is paused; it goes on when half of them are taken.
  private static let most = 65_536

  private struct State {
    var underway: (any HostUnderway)?
    var isPaused = false
  }

  private let reports = Mailbox<HostReport>(.unbounded)
  private let state = Mutex(State())

  init(_ task: HostTask) {
    let underway = task.begin { [weak self] report in self?.put(report) }
    state.withLock { $0.underway = underway }
  }

  private func put(_ report: HostReport) {
    if case .items(let bodies) = report { return bodies.items.forEach(put) }
    reports.put(report)
    if case .ended = report { return reports.finish() }
    if reports.count < Self.most { return }
    pause(true)
  }

  private func pause(_ isPaused: Bool) {
    let underway = state.withLock { state in
      if state.isPaused == isPaused { return nil as (any HostUnderway)? }
      state.isPaused = isPaused
      return state.underway
    }
    if isPaused { underway?.pause() } else { underway?.resume() }
  }

  /// The next report; nil behind the end, and when the Swift task is cancelled.
  func next() async -> HostReport? {
    let report = await reports.next()
    if reports.count < Self.most / 2 { pause(false) }
    return report
  }

  func cancel() {
    reports.finish()
    state.withLock { $0.underway }?.cancel()
  }
}

extension HostReport {
  /// Lets it happen in a run; what does not fit is said to whoever sent it. Gives what does not fit.
  @discardableResult
  package func happen(in simulation: Simulation, _ task: HostTask.ID) -> String? {
    if case .items(let bodies) = self {
      return bodies.items.reduce(nil) { first, item in
        let problem = item.happen(in: simulation, task)
        return first ?? problem
      }
    }
    do throws(SimulationError) {
      try simulation.take(self, of: task)
    } catch {
      if case .unfit = error { return refuse(error.behindSubject, simulation, task) }
    }
    if case .item(_, let taken?) = self { taken(nil) }
    return nil
  }

  private func refuse(_ message: String, _ simulation: Simulation, _ task: HostTask.ID) -> String {
    switch self {
    case .opened, .retrying, .items: return message
    case .item(let answer, let taken):
      let text = answer.what(simulation, task) + message
      taken?(text)
      return text
    case .ended(.success(let answer)):
      let text = answer.what(simulation, task) + message
      try? simulation.take(.ended(.failure(FrpError(text))), of: task)
      return text
    case .ended(.failure): return message
    }
  }
}

extension HostTask {
  /// The file that it reads.
  var file: String? {
    if case .text(let path)? = arguments.first, name.hasPrefix("Files.") { path } else { nil }
  }
}

extension HostAnswer {
  /// How a message about it begins: a file by its name, what a plug-in gives by what was called.
  fileprivate func what(_ simulation: Simulation, _ id: HostTask.ID) -> String {
    let task = simulation.tasks.first { $0.id == id }
    switch self {
    case .body, .bytes, .csv, .unfit:
      return task?.file ?? "body"
    case .value, .json: return "what `\(task?.name ?? "it")` gives does not fit"
    }
  }
}
