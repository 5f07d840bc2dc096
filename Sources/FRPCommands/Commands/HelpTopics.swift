// Topics of `frp help` that are no commands.

struct HelpTopic: Sendable {
  let name: String
  let text: String

  static let all: [HelpTopic] = [language, ports, world, journals, exitCodes, environment]

  static let journals = HelpTopic(
    name: "journals",
    text: """
      Runs that outlive their process

        frp run counts.frp --in line=lines:- --journal counts.journal

      What comes from outside is on the disk before anything that follows from it is seen. Started again, however it
      ended (kill -9, a crash of the machine, ^C), the run goes on with all that it remembers: sums, timers, what waits.

        files that it writes (--out)     have every line once, and no half ones
        files that it reads (--in)       go on behind the last line that was taken
        standard output                  what was under way when it was killed may come a second time
        calls that were under way        begin again, with the same Idempotency-Key; those that had ended do not
        Db.exec                          is done once
        `start`                          occurs once in a run's life

      Time stands still while no process runs: a timer of 10s that had 4s to go has 4s to go. --downtime elapse lets
      time go on meanwhile, and what was missed happens at its own moments.

      A changed program is told first what it keeps, and what begins anew; with --upgrade it takes over. What the old
      text has written stays as it is.

        frp journal counts.journal          which program, how far, how much
        frp journal counts.journal --check  whether all of it is what was written
        frp journal counts.journal --lines  what came since the newest state, as a recording has it

        frp unit counts.frp --journal …     a systemd unit that runs it, shut in to what was granted

      A full disk ends the run with a sentence, and nothing is shown that is not kept; with room again it goes on.

      """)

  static let exitCodes = HelpTopic(
    name: "exit-codes",
    text: """
      Exit codes

        0    success (warnings alone too, unless --deny warnings)
        1    the program has errors, a test failed, a file is not formatted,
             a journal is damaged
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
        SSL_CERT_FILE  the authorities whose certificates are believed, in place of the system's: a file (PEM)

      """)

  static let world = HelpTopic(
    name: "world",
    text: """
      The world: sources, sinks and grants

        input line: Event<String> from Files.tail("app.log")
        input conf: Behavior<{limit: Int}> = {limit: 1} from Files.value("conf.json")
        output alert = line |> filter(l => size(l) > conf.limit)
          to l => Http.post("https://hooks.example.org/T1", {text: l})

      A source feeds an input, a sink performs a task for each value of an output. What comes is decoded to the type that
      is used: a String is the text, anything else JSON. `source |> reconnect(n => Some(1s))` listens again;
      `listen(event, Latest, x => source)` gives {items, state, ends}. `--in line='Files.lines("x")'`, `--out alert='l => …'`
      and `--in line=none` take the place of what the program says.

      Modules (`frp doc Http` lists one):

        Http Ws Serve Files Process Db Mqtt Clock Env Signals Page

      Nothing is done that was not granted. What is missing is told before the start, with the line to paste:

        --allow-net=HOST[:PORT]  --allow-listen=[ADDR:]PORT  --allow-read=PATH  --allow-write=PATH
        --allow-run=FILE  --allow-env=NAME  --grants FILE           frp grants app.frp > app.grants

      A program of yours may be a module, a plug-in: --host Kafka=./frp-kafka. `./frp-kafka describe` writes its declarations;
      then it reads {"begin":7,"call":"send","args":[…]} and {"cancel":7}, a line each, and writes {"end":7,"ok":…},
      {"end":7,"err":"…"} and {"item":7,"value":…}.

      Tests answer calls, and look at them; recordings run again without the world:

        given Http.get(url) = Task.after(100ms, "[1, 2]")
        given Ws.messages(url) = "-a-b" every 1s with {a: 1, b: 2}
        expect calls(Http.post) |> count at 5s == 1

        frp run app.frp --record day.jsonl      frp run app.frp --trace day.jsonl

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
        frp run shop.frp --in orders=csv:o.csv --in pings=lines:- --in visits=json:v.json

      json:FILE is JSON over any lines: each element of a list is an occurrence; without a list, each value that begins
      a line is. (jsonl:FILE is a value a line.) A list that stands in an object is named by its keys:

        frp run quakes.frp --in 'quakes=json:quakes.json?at=features' --time quakes=properties.time/1000

      CSV has a first line that names the columns, unless what stands behind the file says more, joined by `&`:

        csv:o.csv?columns=b,a     these columns, in this order; where there is no first line, the cells' names
        csv:o.csv?separator=;     `tab` for a tab (as in .tsv files)
        csv:o.csv?header=no       there is no first line
        csv:o.csv?null=NA         a cell NA means None, as an empty one does

      Lines that say when they happened run at their own times, in simulated time:

        frp run log.frp --in log=csv:log.csv --time log=time --late 10s

        frp run web.frp --in log=lines:access.log --time 'log=\\[([^]]+)\\]'

      --time NAME=FIELD is a field, column or key with seconds or a text that Date.parse reads, such as
      2026-01-02T03:04:05.6Z; with milliseconds it is NAME=FIELD/1000. Where several fields
      make it, they stand in braces: --time 'f={year}-{month}-{day} {hour}:{minute}'. Dates such as 1/31/2026 need
      their pattern behind the field: --time 'o=Order Date(MM/dd/yyyy)'. Lines of text have no fields:
      --time NAME=PATTERN finds their time (the first group of a Regex, or all that fits). --from 2026-01-01 or
      --from first says which moment is 0 (`at` of a trace counts from there, too). Several inputs are merged by
      their times. A line may be --late behind the greatest time of its own input; later ones are skipped. In the
      program `time` is 0.0 at that moment, and Date.epoch is it.

      A trace whose `at` counts from 1970 begins at its first line. Recordings of the prompt begin with
      {"epoch":1767323045.6}, which is what Date.epoch gives.

      What is known from the start stands in a file of its own:

        frp run shop.frp --set customers=csv:customers.csv --set rules=json:rules.json

      Outputs go to standard output: bare values if there is one, else `name = value`; with --format jsonl
      {"at":0.5,"name":value}. Behaviors are written at the start and whenever they change; continuous ones
      every --sample. --format json writes the values alone as JSON, --final only the last ones.

        frp run shop.frp --out totals=jsonl:totals.jsonl

      A source or a sink takes the place of what the program says; none takes it away:

        frp run shop.frp --in 'orders=Files.tail("orders.log")' --out 'totals=t => Files.append("t.txt", "{t}\\n")'
        frp run shop.frp --out totals=none

      JSON of the types:

        ()          null                       Option      null, or the value
        Bool        true                       variant     "Name", {"Name": x}, {"Name": [x, y]}, {"Name": {...}}
        Int         3                          tuple       [a, b]
        Float       3.0 (3 is read too)        record      {"x": 1.0}
        String      "text"                     Result      {"Ok": x}, {"Err": e}
        List        [a, b]                     Map         {"k": v}, or [[k, v]] if keys are no Strings
        Set         [a, b]                     Json        whatever stands there

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
      Texts       "\\n \\t \\" \\\\ \\{ \\u{e9}"   \"""many lines\"""   #"raw: \\d{4}, nothing is put in"#
                  over several lines with three quotes each: \"""…\""" and #\"""…\"""#
      Odd names   {`Order ID`: 7}  order.`Order ID`  map(.`@type`)    fields whose keys are no names
      Functions   area(w, h) = w * h      x => x + 1      (a, b) => a + b      (+)      .field
      Pipes       x |> f(a)   is   f(x, a)
      Choices     if a then b else c
                  match shape { Circle(r) => r * r; Rect(w, h) if w == h => w; _ => 0.0 }
                  patterns: 1 | 2  (a, b)  {x, y: 0}  [first, ...rest]  []  Some(Circle(r))  p as whole  _
      Blocks      { dx = a.x - b.x; dy = a.y - b.y; sqrt(dx * dx + dy * dy) }      bindings, then the value
                  (small, large) = e |> partition(x => x < 10)
      Types       type Shape = Circle(Float) | Rect(w: Float, h: Float)
                  alias Point = {x: Float, y: Float}
      Notes       // to the end of the line      /// documents the definition below
      Modules     import Geometry   reads Geometry.frp beside the file; Geometry.area(w, h)
      Any JSON    input j: Event<Json>     Json.at(j, ["user", "name"]) |> flatMap(Json.text)    Json.as(j)
                  match j { Json.Null => 0; Json.Int(n) => n; Json.List(xs) => size(xs); _ => 1 }
      Data        Map.fromList([("a", 1)])  Set.fromList(xs)   xs |> median   m |> add("a", 1)   xs |> topBy(10, .size)
                  attempt(div(a, b)): a Result in the place of a fault      Option: Some(x), None; Result: Ok(x), Err(e)
      Lists       filter filterMap flatMap fold sort sortBy groupBy countBy sum mean quantile minimum maximumBy head
                  last get any all find zip chunk windows join      Option: withDefault(o, 0) map isSome
      Moments     Date.parse("2026-01-02T03:04:05Z")   Date.format(t, "yyyy-MM-dd HH:mm")   Date.parts(t).weekday
                  Date.epoch + time: the moment that is now     Date.every(1min): ticks at whole minutes of the clock
      Operators   |>   || &&   == != < <= > >=   ..   ++   + -   * / %   - !

      Sources     time  start  end  never  every(1s)  after(5s)  Date.every(1h)
      Events      map filter filterMap scan mapAccum merge take drop takeWhile takeThrough dropWhile
                  takeUntil dropUntil once distinct unique indexed pairwise zip both except spill
                  coalesce buffer batch bufferUntil partition gate delay debounce throttle audit
      To behavior hold(e, start)  fold(e, start, f)  count(e)  countBy(e, key)  sumBy(e, key, value)
                  window(e, 10s)  summary(e, 10s, f, join)
      To event    changes(b)  updates(b)  when(condition)  sample(b, every(1s))
      Continuous  integral(b)  integralFrom(rate, start, resets)  derivative(b)  delay(b, 1s)
      Dynamic     switch flatMap flatMapLatest keyed groupBy keyedUntil groupUntil each
      Tasks       perform(e, Latest, x => task), or All, Queue, Ignore, Limit(4)   Task.succeed fail after await all race

      Tests       test "counts clicks" {
                    given clicks = "--x-x---x" every 100ms
                    expect count at 450ms == 2
                    expect doubled == "--A-B---C" every 100ms with {A: 2, B: 4, C: 6}
                  }
                  a character is a moment: - none, [ab] one instant; `frp test FILE` runs them

      The just-before rule: at an instant, event operators read behaviors as they were just before it.

      `frp doc NAME` shows one built-in with its type and an example; `frp doc List` all of a kind: List String Map Set
      Option Result Json Date Csv Regex Format Math Random Bits Task Event Behavior.

      """)
}
