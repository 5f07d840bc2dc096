// Topics of `frp help` that are no commands.

struct HelpTopic: Sendable {
  let name: String
  let text: String

  static let all: [HelpTopic] = [language, ports, exitCodes, environment]

  static let exitCodes = HelpTopic(
    name: "exit-codes",
    text: """
      Exit codes

        0    success (warnings alone too, unless --deny warnings)
        1    the program has errors, a test failed, a file is not formatted
        2    wrong use of the command line
        3    a fault or an exhausted limit while running (the run went on, unless --strict), an input of which
             every line was skipped, or an output that could not be written
        129  hung up (SIGHUP: the terminal was closed), after the last values were written
        130  interrupted (SIGINT, ^C), after the last values were written
        143  terminated (SIGTERM), after the last values were written

      A line of input that does not fit is reported, counted, and skipped; with --strict it ends the run with 3.

      """)

  static let environment = HelpTopic(
    name: "environment",
    text: """
      Environment

        NO_COLOR   if not empty, messages have no colours
        TERM       `dumb`: messages have no colours
        FRP_ASCII  if not empty, messages use no characters beyond ASCII

      """)

  static let ports = HelpTopic(
    name: "ports",
    text: """
      Inputs and outputs on the command line

      One input, and standard input is no terminal: every line is one occurrence. A line is raw text for a
      String, else JSON of the declared type.

        printf '1\\n2\\n' | frp run sum.frp

      Several inputs: a trace in simulated time, or one source each in real time.

        frp run shop.frp --trace day.jsonl         {"at": 1.5, "clicks": null, "celsius": 21.5}
        frp run shop.frp --in orders=csv:o.csv --in pings=lines:-

      Outputs go to standard output: bare values if there is one, else `name = value`; with --format jsonl
      {"at":0.5,"name":value}. Behaviors are written at the start and whenever they change; continuous ones
      every --sample.

        frp run shop.frp --out totals=jsonl:totals.jsonl

      JSON of the types:

        ()          null                       Option      null, or the value
        Bool        true                       variant     "Name", {"Name": x}, {"Name": [x, y]}, {"Name": {...}}
        Int         3                          tuple       [a, b]
        Float       3.0 (3 is read too)        record      {"x": 1.0}
        String      "text"                     Result      {"Ok": x}, {"Err": e}
        List        [a, b]                     Map         {"k": v}, or [[k, v]] if keys are no Strings

      """)

  static let language = HelpTopic(
    name: "language",
    text: """
      The language on one page

        input clicks: Event<Unit>                  an event: happens at moments
        input celsius: Behavior<Float> = 20.0      a behavior: always has a value
        output count = clicks |> fold(0, (n, _) => n + 1)
        output fahrenheit = celsius * 1.8 + 32.0   lifted: no map, no subscribe
        label = "clicked {count} times"            a definition; order does not matter

      Values      1  1.5  250ms  true  "a {x} b"  [1, 2, ...rest]  (a, b)  {x: 1, y: 2}  {...p, x: 3}
      Functions   area(w, h) = w * h      x => x + 1      (a, b) => a + b      (+)      .field
      Pipes       x |> f(a)   is   f(x, a)
      Choices     if a then b else c
                  match shape { Circle(r) => r * r; Rect(w, h) if w == h => w; _ => 0.0 }
      Types       type Shape = Circle(Float) | Rect(w: Float, h: Float)
                  alias Point = {x: Float, y: Float}
      Operators   |>   || &&   == != < <= > >=   ..   ++   + -   * / %   - !

      Sources     time  start  end  never  every(1s)  after(5s)
      Events      map filter filterMap scan merge take drop takeWhile dropWhile takeUntil dropUntil once
                  distinct pairwise zip spill coalesce buffer batch bufferUntil partition gate
                  delay debounce throttle audit
      To behavior hold(e, start)  fold(e, start, f)  count(e)  window(e, 10s)
      To event    changes(b)  when(condition)  sample(b, every(1s))
      Continuous  integral(b)  integralFrom(rate, start, resets)  derivative(b)  delay(b, 1s)
      Dynamic     switch flatMap flatMapLatest keyed groupBy each
      Tasks       perform(e, Latest, x => task)   Task.succeed fail after all race

      The just-before rule: at an instant, event operators read behaviors as they were just before it.

      `frp doc NAME` shows one built-in with its type and an example.

      """)
}
