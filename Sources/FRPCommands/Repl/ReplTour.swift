// `:tour`: ten steps for somebody who never saw this. A step says what to try and waits; what counts is what was done,
// and not how it was written. It goes on with whatever the user called things.

import FRP

/// What an entry did, as far as a step of the tour asks.
struct ReplDeed {
  /// The command, without its colon; empty where the entry was none.
  var command = ""
  var hasFailed = false
  /// What was looked at, and how it was written.
  var looked: (kind: ReplName.Kind, text: String)?
  /// What was defined.
  var defined: [ReplName] = []
}

struct ReplTour {
  /// The step that is waited for, from 0.
  var step = 0
  /// Commands carried out since it began.
  var commands: Set<String> = []

  struct Step: Sendable {
    var title: String
    /// What to know, and what to type.
    var text: @Sendable (ReplSession) -> String
    /// Whether it is done.
    var isDone: @Sendable (ReplSession, ReplTour, ReplDeed) -> Bool
  }

  static let steps: [Step] = [
    Step(title: "expressions") { _ in
      """
      An expression shows its type and its value. Type one, for example

        sum(1..10)
      """
    } isDone: { _, _, deed in
      deed.looked != nil
    },
    Step(title: "definitions") { _ in
      """
      A definition gives a name to something. This one is a function:

        double(x) = x * 2
      """
    } isDone: { _, _, deed in
      deed.defined.contains { $0.kind == .function }
    },
    Step(title: "time") { _ in
      """
      Time goes on while you type. What changes with time is a behavior, and the
      row that shows it follows it until your next entry:

        time
      """
    } isDone: { _, _, deed in
      deed.looked?.kind == .behavior
    },
    Step(title: "lifting") { session in
      let name = session.current.names.first { $0.kind == .function }?.name ?? "sin"
      return """
        A function of numbers works on a behavior as it is: where a value could be,
        a behavior can be, and the result changes with it:

          \(name)(time)
        """
    } isDone: { session, _, deed in
      deed.looked?.kind == .behavior
        && deed.looked.map { session.current.name($0.text) == nil && $0.text != "time" } == true
    },
    Step(title: "inputs") { _ in
      """
      What comes from outside is an input. An event happens at moments; this one
      carries nothing but that it happened:

        input clicks: Event<Unit>
      """
    } isDone: { _, _, deed in
      deed.defined.contains { $0.isInput && $0.kind == .event }
    },
    Step(title: "memory") { session in
      """
      An event, remembered, is a behavior. This one counts:

        n = \(session.touredInput) |> count
      """
    } isDone: { session, _, deed in
      deed.defined.contains { $0.kind == .behavior && !$0.isInput }
    },
    Step(title: "events") { session in
      """
      Let it happen, three times, and look at what counts it meanwhile:

        :push \(session.touredInput) x3 every 500ms
        \(session.touredCount)
      """
    } isDone: { session, tour, deed in
      tour.commands.contains("push") && deed.looked?.kind == .behavior
    },
    Step(title: "changes") { session in
      """
      A definition can be replaced while it runs. What is the same keeps its state,
      what depends on it follows, and :undo takes it back:

        \(session.touredCount) = 100 + count(\(session.touredInput))
        :undo
      """
    } isDone: { _, tour, _ in
      tour.commands.contains("undo")
    },
    Step(title: "the clock") { _ in
      """
      The program has a clock of its own. Stop it, go back, let it go on:

        :pause
        :back 2s
        :resume
      """
    } isDone: { _, tour, _ in
      !tour.commands.isDisjoint(with: ["back", "step", "to"]) && tour.commands.contains("resume")
    },
    Step(title: "keeping") { _ in
      """
      What you defined is a program. Write it into a file:

        :save mine.frp
      """
    } isDone: { _, tour, _ in
      tour.commands.contains("save")
    },
  ]
}

extension ReplSession {
  /// The event that the tour talks about.
  var touredInput: String { current.names.last { $0.isInput && $0.kind == .event }?.name ?? "clicks" }

  /// A behavior that depends on it.
  var touredCount: String {
    let users = current.dependents(of: touredInput).filter { $0 != "it" }
    return users.first { current.name($0)?.kind == .behavior } ?? "n"
  }

  /// `:tour`, `:tour next`, `:tour back`, `:tour stop`, `:tour 4`.
  func tour(_ text: String) {
    let last = ReplTour.steps.count
    switch text {
    case "": if tour == nil { tour = ReplTour() }
    case "next" where tour == nil, "back" where tour == nil: tour = ReplTour()
    case "next": tour?.step += 1
    case "back": tour = ReplTour(step: max(0, (tour?.step ?? 0) - 1))
    case "stop", "end", "off", "quit":
      let wasOn = tour != nil
      tour = nil
      return show(wasOn ? "the tour is over; :tour begins it again" : "no tour is going on; :tour begins one")
    default:
      guard let number = Int(text), (1...last).contains(number) else {
        return fail("Write :tour, :tour next, :tour back, :tour stop, or a step from 1 to \(last):  :tour 4")
      }
      tour = ReplTour(step: number - 1)
    }
    tour?.commands = []
    showTour()
  }

  /// After an entry: whether the step is done, and what comes then.
  func goOnWithTour(_ deed: ReplDeed) {
    guard var tour, deed.command != "tour", ReplTour.steps.indices.contains(tour.step), !deed.hasFailed else { return }
    if !deed.command.isEmpty { tour.commands.insert(deed.command) }
    self.tour = tour
    guard ReplTour.steps[tour.step].isDone(self, tour, deed) else { return }
    self.tour = ReplTour(step: tour.step + 1)
    // The answer comes before the next step; its row goes on below.
    if let name = live.expression { show(fit(describe(name), console.width(nil))) }
    showTour()
  }

  private func showTour() {
    guard let tour else { return }
    let count = ReplTour.steps.count
    guard ReplTour.steps.indices.contains(tour.step) else {
      self.tour = nil
      return show(
        """

        That was the tour. Run what you saved with  frp run mine.frp  and a line of
        input for each event. From here:  :watch \(touredCount)  pins a value,  :why \(touredCount)  says
        why it is what it is,  :plot sin(time)  draws,  :help  lists the rest.
        """)
    }
    let step = ReplTour.steps[tour.step]
    let head = "tour, \(tour.step + 1) of \(count): \(step.title)"
    let hint =
      tour.step == 0 ? "\n\nIt goes on when you have done so; :tour next skips a step, :tour stop ends it." : ""
    show("\n" + (hasColours ? "\u{1B}[1m\(head)\u{1B}[0m" : head) + "\n" + wrappedToFit(step.text(self) + hint))
  }
}
