// Pages of E04xx: behaviors, events, and lifting; and of E06xx: the structure in time.

extension ExplainPage {
  static let time: [ExplainPage] = [
    ExplainPage(
      .behaviorAsEvent, "a behavior where an event is needed",
      wrong: """
        input mouse: Behavior<Int> = 0
        output moves = mouse |> fold(0, (n, x) => n + x)
        """,
      why: """
        A behavior always has a value; an event happens at moments. `fold` needs moments, and a behavior does not say \
        which are meant: those at which it changes, or those of a clock.
        """,
      WayOut(
        "react to its changes",
        """
        input mouse: Behavior<Int> = 0
        output moves = changes(mouse) |> fold(0, (n, x) => n + x)
        """),
      WayOut(
        "look at it at each tick",
        """
        input mouse: Behavior<Int> = 0
        output moves = sample(mouse, every(1s)) |> fold(0, (n, x) => n + x)
        """)),
    ExplainPage(
      .varyingConstant, "something that must be known once changes over time",
      wrong: """
        input e: Event<Float>
        output x = e |> hold(time)
        """,
      why: """
        Start values, durations, counts, and keys are taken once, when their scope starts. If they could vary, it \
        would not be clear what becomes of what was made with the old value.
        """,
      WayOut(
        "give a plain value",
        """
        input e: Event<Float>
        output x = e |> hold(0.0)
        """),
      WayOut(
        "start again at each change",
        """
        input e: Event<Float>
        input start: Behavior<Float> = 1.0
        output x = updates(start) |> switch(0.0, s => e |> hold(s))
        """)),
    ExplainPage(
      .eventAsValue, "an event where a value is needed",
      wrong: """
        input clicks: Event<Int>
        output n = clicks + 1
        """,
      why: """
        An event has no value between its occurrences, so it cannot be added to or compared. Behaviors are lifted by \
        themselves; events are not.
        """,
      WayOut(
        "keep the last occurrence",
        """
        input clicks: Event<Int>
        output n = (clicks |> hold(0)) + 1
        """),
      WayOut(
        "work on the occurrences",
        """
        input clicks: Event<Int>
        output n = clicks |> map(c => c + 1)
        """)),
    ExplainPage(
      .choiceOfEvents, "a behavior chooses between events",
      wrong: """
        input fast: Behavior<Bool> = true
        output tick = if fast then every(1s) else every(10s)
        """,
      why: """
        An `if` on a behavior is computed from values at each moment, and events have none. Which occurrences are \
        meant when the choice changes?
        """,
      WayOut(
        "let occurrences through while a condition holds",
        """
        input fast: Behavior<Bool> = true
        output tick = merge(every(1s) |> gate(fast), every(10s) |> gate(!fast))
        """),
      WayOut(
        "start a new one at each change",
        """
        input fast: Behavior<Bool> = true
        output tick = updates(fast) |> flatMapLatest(f => if f then every(1s) else every(10s))
        """)),
    ExplainPage(
      .varyingCallOfEvents, "a function of events cannot be applied to values that change",
      isSketch: true,
      wrong: """
        input fast: Behavior<Bool> = true
        first(f) = f(every(1s))
        output x = [every(1s)] |> map(e => if fast then e else e) |> size
        """,
      why: """
        What takes or gives events is part of the structure of the program, which is made once.
        """,
      WayOut(
        "make the structure first, and let values flow through it",
        """
        input fast: Behavior<Bool> = true
        output x = every(1s) |> filter(_ => fast) |> count
        """),
      WayOut(
        "switch",
        """
        input fast: Behavior<Bool> = true
        output x = updates(fast) |> switch(0, f => if f then every(1s) |> count else 0)
        """)),
    ExplainPage(
      .memoryInLift, "what remembers would be made anew at every moment",
      wrong: """
        input e: Event<Float>
        output x = e |> map(v => integral(v))
        """,
      why: """
        `integral`, `fold`, `hold` and the like start when their scope starts. Inside the function of a `map` there is \
        no scope: it is a value at a moment, and a memory made there would be gone at once.
        """,
      WayOut(
        "start one for each occurrence, the newest counting",
        """
        input e: Event<Float>
        output x = e |> switch(0.0, v => integral(v))
        """),
      WayOut(
        "make it once, outside",
        """
        input e: Event<Float>
        v = e |> hold(0.0)
        output x = integral(v)
        """)),
    ExplainPage(
      .unknownUnit, "a number is followed by what is no unit of time",
      wrong: """
        output tick = every(5sec)
        """,
      why: """
        Durations are numbers with a unit: `250ms`, `2s`, `5min`, `1h`. They are Floats in seconds.
        """,
      WayOut(
        "write the unit",
        """
        output tick = every(5s)
        """),
      WayOut(
        "write seconds as a Float",
        """
        output tick = every(5.0)
        """)),
    ExplainPage(
      .tooMuchWork, "checking the program takes too much work",
      wrong: """
        tree(n, e) = if n == 0 then e else merge(tree(n - 1, e), tree(n - 1, e |> delay(1s)))
        input clicks: Event<Unit>
        output x = tree(24, clicks)
        """,
      why: """
        A call of a function that makes events or memory means its body. One that calls itself twice is twice as large at \
        every level, here 16 million delays. What checking may take is limited, so that no program can hang who compiles \
        it; long programs may take more than short ones.
        """,
      WayOut(
        "make what is used twice once, under a name",
        """
        tree(n, e) = {
          half = tree(if n == 0 then 0 else n - 1, e)
          if n == 0 then e else merge(half, half |> delay(1s))
        }
        input clicks: Event<Unit>
        output x = tree(0, clicks)
        """),
      WayOut(
        "make fewer",
        """
        tree(n, e) = if n == 0 then e else merge(tree(n - 1, e), tree(n - 1, e |> delay(1s)))
        input clicks: Event<Unit>
        output x = tree(4, clicks)
        """)),
    ExplainPage(
      .endlessUnfolding, "a function with memory calls itself for ever",
      wrong: """
        chain(e, n) = if n == 0 then e else chain(e |> delay(1s), n)
        input clicks: Event<Unit>
        output x = chain(clicks, 3)
        """,
      why: """
        A call of a function that makes events or memory means its body. If the body calls the function again without \
        coming to an end, the program would be infinite.
        """,
      WayOut(
        "count down to an end",
        """
        chain(e, n) = if n == 0 then e else chain(e |> delay(1s), n - 1)
        input clicks: Event<Unit>
        output x = chain(clicks, 3)
        """),
      WayOut(
        "do it in one step",
        """
        input clicks: Event<Unit>
        output x = clicks |> delay(3s)
        """)),
    ExplainPage(
      .circularDefinition, "definitions wait for each other",
      wrong: """
        input k: Behavior<Float> = 1.0
        x = y + k
        y = x * 2.0
        output x
        """,
      why: """
        To know x one needs y, and to know y one needs x, at the same moment. A circle is fine where something looks \
        only at the past: `hold`, `fold`, `integral`, or an event operator that reads a behavior.
        """,
      WayOut(
        "take the value from before, at moments of your own",
        """
        input k: Behavior<Float> = 1.0
        input step: Event<Unit>
        x = step |> map(_ => y + k) |> hold(1.0)
        y = x * 2.0
        output x
        """),
      WayOut(
        "let it grow: its rate depends on its value",
        """
        input k: Behavior<Float> = 1.0
        x = integral(y)
        y = k - x * 2.0
        output x
        """)),
    ExplainPage(
      .circularEvents, "events wait for each other",
      wrong: """
        input clicks: Event<Int>
        a = merge(clicks, b)
        b = a |> map(n => n + 1)
        output a
        """,
      why: """
        An occurrence of `a` makes one of `b` in the same instant, which makes one of `a`, without end.
        """,
      WayOut(
        "let it come later",
        """
        input clicks: Event<Int>
        a = merge(clicks, b)
        b = a |> filter(n => n < 5) |> map(n => n + 1) |> delay(1s)
        output a
        """),
      WayOut(
        "take it from what was there before",
        """
        input clicks: Event<Int>
        a = clicks |> map(n => n + last)
        last = a |> hold(0)
        output a
        """)),
    ExplainPage(
      .circularStructure, "a structure refers to itself",
      wrong: """
        list = [every(1s), ...list]
        first(events) = match events {
          [e, ...] => e
          [] => never
        }
        output n = first(list) |> count
        """,
      why: """
        Behaviors and events may refer to their own past. A list, a tuple, or a function of events has no past: it is \
        needed before it is there.
        """,
      WayOut(
        "take the events apart, one definition each",
        """
        tick = every(1s)
        output n = merge(tick, tick) |> count
        """),
      WayOut(
        "make a behavior of data, which has a past",
        """
        output n = every(1s) |> map(_ => n + 1) |> hold(0)
        """)),
    ExplainPage(
      .continuousChanges, "`changes` of what changes all the time",
      wrong: """
        output x = changes(time)
        """,
      why: """
        A behavior that varies between instants has no moments of change: it changes always. One looks at it at \
        moments of one's own, or asks when a condition becomes true. So it is with a lane of a test, which shows \
        changes: there one looks by `sample`, or once, by `expect … at`.
        """,
      WayOut(
        "look at it at each tick",
        """
        output x = sample(time, every(1s))
        """),
      WayOut(
        "ask when something becomes true",
        """
        output x = when(time > 3.0)
        """)),
    ExplainPage(
      .unlocatedCondition, "the moment when something becomes true cannot be located",
      wrong: """
        output x = when(floor(time) == 2)
        """,
      why: """
        The crossing of a continuous behavior is found by following a comparison of Floats, `<`, `<=`, `>` or `>=`, to \
        its zero. Equality holds at single points that lie between any two looks.
        """,
      WayOut(
        "compare Floats by order",
        """
        output x = when(time >= 2.0)
        """),
      WayOut(
        "count ticks",
        """
        output x = when((every(1s) |> count) == 2)
        """)),
    ExplainPage(
      .notDifferentiable, "something cannot be differentiated",
      wrong: """
        input clicks: Event<Unit>
        output x = derivative(clicks |> switch(time, _ => time * 2.0))
        """,
      why: """
        `derivative` is exact, so it works on what is built from `time`, integrals and smooth functions. It does not \
        guess from differences.
        """,
      WayOut(
        "differentiate what is smooth",
        """
        input clicks: Event<Unit>
        output x = clicks |> switch(1.0, _ => derivative(time * 2.0))
        """),
      WayOut(
        "take differences of samples",
        """
        input clicks: Event<Unit>
        place = clicks |> switch(time, _ => time * 2.0)
        output x = sample(place, every(100ms)) |> pairwise |> map((a, b) => (b - a) / 0.1)
        """)),
    ExplainPage(
      .unordered, "a program cannot be put in order",
      isSketch: true,
      wrong: """
        input e: Event<Int>
        output n = e |> count
        """,
      why: """
        Definitions that read each other within an instant are refused with E0601 to E0603. Where the plan finds a circle \
        that these did not see, frp itself is wrong: please report the program.
        """,
      WayOut(
        "until it is mended, look at the past somewhere",
        """
        input e: Event<Int>
        output n = sample(e |> count, every(10ms)) |> hold(0)
        """),
      WayOut(
        "or let time pass on the way",
        """
        input e: Event<Int>
        output n = e |> delay(1ms) |> count
        """)),
    ExplainPage(
      .sampledComparison, "a comparison is looked at now and then",
      wrong: """
        input samples: Event<List<Float>>
        table = samples |> hold([1.0, 5.0, 2.0])
        level(t, n) = if n == 0 then t else level(t / 2.0 + 1.0, n - 1)
        output high = when(level(time, size(table)) > 3.0)
        """,
      why: """
        A comparison of what varies continuously is bounded between the solver's steps, so that no crossing is missed, \
        however short, also where it is shown by a scope or delayed. A function that calls itself on what varies, texts, \
        functions of a host, and lists of what varies that are looked at in other ways than element by element (sorted, \
        filtered) cannot be bounded: such a comparison is looked at 16 times a step, and may be missed where it holds for \
        less than that. So is a slide along a limit, and may go on where it should be left for a shorter time, if several \
        limits may slide together or the slope of what is compared cannot be bounded.
        """,
      WayOut(
        "compare what is computed by arithmetic",
        """
        output high = when(abs(time - 1.5) <= 0.001)
        """),
      WayOut(
        "put numbers of a list into definitions of their own",
        """
        input samples: Event<List<Float>>
        limit = samples |> map(list => sum(list)) |> hold(3.0)
        output high = when(time > limit)
        """)),
    ExplainPage(
      .missingUnit, "a length of time has no unit",
      wrong: """
        input keys: Event<String>
        output word = keys |> debounce(300)
        """,
      why: """
        A plain number is seconds, and 300 seconds are five minutes. More than a minute is rarely written so.
        """,
      WayOut(
        "write the unit that is meant",
        """
        input keys: Event<String>
        output word = keys |> debounce(300ms)
        """),
      WayOut(
        "write that it is seconds",
        """
        input keys: Event<String>
        output word = keys |> debounce(300s)
        """)),
    ExplainPage(
      .readOnce, "a step of a task mentions a behavior",
      wrong: """
        input level: Behavior<Int> = 0
        input go: Event<Unit>
        job = go |> perform(All, _ => Task.after(1s, 1) |> andThen(n => Task.succeed(n + level)))
        output done = job.results |> filterMap(ok)
        """,
      why: """
        What the functions of a task mention of behaviors is read when the task is made, at the occurrence: a task is a \
        description, the same whenever it is performed. A function of `andThen` or `retryWith` is called later and does not \
        see what has changed since.
        """,
      WayOut(
        "name the value outside of the step, if the one of the occurrence is meant",
        """
        input level: Behavior<Int> = 0
        input go: Event<Unit>
        job = go |> perform(All, _ => {
          now = level
          Task.after(1s, 1) |> andThen(n => Task.succeed(n + now))
        })
        output done = job.results |> filterMap(ok)
        """),
      WayOut(
        "go on with the results, whose functions read at their own moment",
        """
        input level: Behavior<Int> = 0
        input go: Event<Unit>
        job = go |> perform(All, _ => Task.after(1s, 1))
        output done = job.results |> filterMap(ok) |> map(n => n + level)
        """)),
    ExplainPage(
      .unsetInput, "an input behavior has no value",
      wrong: """
        input limit: Behavior<Int>
        input n: Event<Int>
        output large = n |> filter(x => x > limit)
        """,
      why: """
        A behavior always has a value, so an input behavior needs one at the start: from the program, or from who runs it. \
        Until it is set, whatever reads it is a fault.
        """,
      WayOut(
        "give it a start value",
        """
        input limit: Behavior<Int> = 10
        input n: Event<Int>
        output large = n |> filter(x => x > limit)
        """),
      WayOut(
        "let who runs it say: `frp run FILE --set limit=10`, or `--set table=csv:FILE` for a list",
        """
        input limit: Behavior<Int>
        input n: Event<Int>
        output large = n |> filter(x => x > limit)
        """)),
  ]
}
