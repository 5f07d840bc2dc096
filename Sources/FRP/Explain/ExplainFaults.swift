// Pages of R0xxx: what can go wrong while a program runs.

extension ExplainPage {
  static let faults: [ExplainPage] = [
    ExplainPage(
      .undefinedValue, "a number or a place does not exist",
      wrong: """
        input n: Event<Int>
        output share = n |> map(x => div(100, x))
        """,
      trace: """
        {"at": 1, "n": 0}
        """,
      why: """
        Dividing by zero, an Int beyond 64 bits, a Float that would be infinite, an element beyond the end: none of \
        them has a value. The whole instant is undone, every value stays as it was, and the program goes on.
        """,
      WayOut(
        "ask before",
        """
        input n: Event<Int>
        output share = n |> map(x => if x == 0 then 0 else div(100, x))
        """),
      WayOut(
        "let only what fits through",
        """
        input n: Event<Int>
        output share = n |> filter(x => x != 0) |> map(x => div(100, x))
        """)),
    ExplainPage(
      .endlessInstant, "an instant does not end",
      wrong: """
        input n: Event<Int>
        x = merge(n, x |> delay(0s))
        output x
        """,
      trace: """
        {"at": 1, "n": 1}
        """,
      why: """
        More than 10,000 micro-steps at one time of the clock mean that definitions trigger one another for ever. Comparisons
        of what moves may do so as well; then let one become false at another limit than that at which it becomes true.
        """,
      WayOut(
        "let time pass between",
        """
        input n: Event<Int>
        x = merge(n, x |> delay(1s))
        output x
        """),
      WayOut(
        "let it come to an end",
        """
        input n: Event<Int>
        x = merge(n, x |> filter(i => i < 5) |> map(i => i + 1) |> delay(0s))
        output x
        """)),
    ExplainPage(
      .hostFailure, "a function of the host failed",
      isSketch: true,
      wrong: """
        (a program that calls a function of the application it is embedded in)
        """,
      why: """
        What the host does may fail; its error is passed on, the instant is undone, and the program goes on.
        """,
      WayOut(
        "let the host give a Result",
        """
        input answers: Event<Result<Int, String>>
        output good = answers |> filterMap(ok)
        """),
      WayOut(
        "make it a task, which may fail in peace",
        """
        input asks: Event<Int>
        output answers = (asks |> perform(All, n => Task.succeed(n))).results |> filterMap(ok)
        """)),
    ExplainPage(
      .limitReached, "a limit was reached",
      wrong: """
        input n: Event<Int>
        down(k) = 1 + down(k + 1)
        output x = n |> map(k => down(k))
        """,
      trace: """
        {"at": 1, "n": 1}
        """,
      why: """
        The host bounds the steps and the depth of an instant, the memory, the number of live nodes, and how often in \
        a second the rates of integrals are computed. The session stays usable.
        """,
      WayOut(
        "end the recursion",
        """
        input n: Event<Int>
        down(k) = if k <= 0 then 0 else 1 + down(k - 1)
        output x = n |> map(k => down(k))
        """),
      WayOut(
        "fold a list",
        """
        input n: Event<Int>
        output x = n |> map(k => size(1..k))
        """)),
    ExplainPage(
      .otherFault, "something else went wrong at run time",
      wrong: """
        input keys: Behavior<List<Int>> = [1, 1]
        output x = keys |> each(k => k, k => changes(k) |> count)
        """,
      trace: """
        {"at": 1, "keys": [1, 2]}
        """,
      why: """
        For example two members of one key in `each`: which memory would be whose? The instant is undone.
        """,
      WayOut(
        "take a key that is unique",
        """
        input keys: Behavior<List<Int>> = [1, 2]
        output x = keys |> each(k => k, k => changes(k) |> count)
        """),
      WayOut(
        "remove what comes twice",
        """
        input keys: Behavior<List<Int>> = [1, 1]
        output x = distinct(keys) |> each(k => k, k => changes(k) |> count)
        """)),
    ExplainPage(
      .unfitLine, "a line of input does not fit",
      isSketch: true,
      wrong: """
        input readings: Event<{sensor: String, value: Float}>
        output values = readings |> map(.value)
        """,
      trace: """
        {"at": 1, "readings": {"sensor": "a", "value": "warm"}}
        """,
      why: """
        A line must be JSON of the declared type, in time order, with the names of inputs only. One that does not fit \
        is reported with line, column and path, counted, and skipped whole; with --strict it ends the run.
        """,
      WayOut(
        "declare what may come",
        """
        input readings: Event<{sensor: String, value: Option<Float>}>
        output values = readings |> filterMap(.value)
        """),
      WayOut(
        "take the text, and read it in the program",
        """
        input readings: Event<{sensor: String, value: String}>
        output values = readings |> filterMap(r => toFloat(r.value))
        """)),
  ]
}
