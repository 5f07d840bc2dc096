// Every command with its flags and examples: the one table that help, parsing, and usage lines come from.

enum CommandTable {
  static let commands: [CommandSpecification] = [
    run, serve, repl, eval, check, test, plot, marble, graph, diff, profile, bench, replay, journal, unit, build,
    flink, grants,
    format, documentation, languageServer, explain, completions, man, help, version,
  ]

  /// Shown first by `frp --help`.
  static let examples: [UsageExample] = [
    UsageExample("frp run counter.frp", "runs a program; each line of standard input is one occurrence"),
    UsageExample("frp run clock.frp --for 3s --virtual", "the same in simulated time: at once, the same every time"),
    UsageExample("frp -e 'sum(1..10)'", "shows an expression's value"),
    UsageExample("frp check counter.frp", "finds every error without running"),
    UsageExample("frp explain E0401", "tells why a rule exists, and two ways out"),
  ]

  static let globalFlags: [FlagSpecification] = [
    FlagSpecification("--help", short: "h", "Shows help and ends."),
    FlagSpecification("--version", short: "V", "Shows the version and ends."),
    FlagSpecification(
      "--color", "WHEN", choices: ["auto", "always", "never"], "Colours in messages; auto: on a terminal."),
    FlagSpecification(
      "--width", "COLUMNS", range: 20...1_000_000, "The width of messages; that of the terminal, or 80, without it."),
    FlagSpecification("--quiet", short: "q", "No notes, only errors."),
  ]

  private static let errorFormat = FlagSpecification(
    "--error-format", "FORMAT", choices: ["human", "short", "json"],
    "How errors and warnings are written to standard error; json: one object a line.")
  private static let deny = FlagSpecification(
    "--deny", "WHAT", choices: ["warnings"], "Warnings count as errors for the exit code.")

  private static let host = FlagSpecification(
    "--host", "FILE", repeats: true,
    "What a host adds to the language: its declarations, a line each; Geo.host declares the module Geo. "
      + "Geo=PROGRAM: a program that is a plug-in.")

  private static let allowImport = FlagSpecification(
    "--allow-import", "DIR", repeats: true,
    "Imports may also read files in this folder; without it, only below the folder of the program, links followed.")

  private static let limit = FlagSpecification(
    "--limit", "WHAT=HOW MUCH", repeats: true,
    "What a program may take while it is checked and run: memory=2GiB,steps=1e9,instant=5s.")

  static let runFlags: [FlagSpecification] =
    [
      FlagSpecification(
        "--trace", "FILE|-", "Timed inputs as JSON lines, {\"at\": 1.5, \"clicks\": null}; simulates time."),
      FlagSpecification(
        "--record", "FILE",
        "Writes all that comes from outside as a trace, with what calls gave: --trace runs it again."),
      FlagSpecification(
        "--virtual", "Simulates time: nothing waits, every run is the same; lines of inputs are instants of time 0."),
      FlagSpecification(
        "--in", "NAME=FORMAT:FILE", repeats: true,
        "Connects an input to jsonl:FILE, json:FILE, lines:FILE or csv:FILE; `-` is standard input. `frp help ports` says more."
      ),
      FlagSpecification(
        "--time", "NAME=FIELD", repeats: true,
        "Lines of this input say in a field, or lines of text in what this pattern fits, when they happen: seconds, or 2026-01-02T03:04:05.6Z; simulates time. In JSON also meta.time and times[0]."
      ),
      FlagSpecification(
        "--from", "T|first",
        "Which moment is time 0 of --time (without it the first) or of a trace's `at` (without it 0, or the first where that counts from 1970); lines before are "
          + "skipped."),
      FlagSpecification(
        "--late", "DURATION",
        "How far a line may lie behind the greatest time of its own input; what is later is skipped. 0s without it."),
      FlagSpecification(
        "--out", "NAME=FORMAT:FILE", repeats: true,
        "Writes an output to jsonl:FILE, lines:FILE or csv:FILE, or to a sink of the program's own: `frp help ports` says more."
      ),
      FlagSpecification(
        "--set", "NAME=VALUE", repeats: true,
        "An input behavior's start value: JSON, the bare text of a String, json:FILE, or csv:FILE for a List."),
      FlagSpecification("--for", "DURATION", "Ends after this time: 10s, 250ms, 5min, 1h."),
      FlagSpecification(
        "--drain", optional: "DURATION",
        "In simulated time, too: goes on after the last line until nothing that came in is held back any more; at most this "
          + "long."),
      FlagSpecification("--no-drain", "Ends with the last line of the inputs, whatever is still held back."),
      FlagSpecification("--until", "NAME", "Ends when this output occurs, or becomes true."),
      FlagSpecification("--sample", "DURATION", "How often continuous outputs are looked at; 100ms without it."),
      FlagSpecification("--seed", "NUMBER", "Where random numbers start; 0 without it."),
      FlagSpecification("--strict", "The first bad line or fault ends the run."),
      FlagSpecification(
        "--format", "FORMAT", choices: ["text", "jsonl", "json"],
        "How outputs are written; text: values for people, jsonl: {\"at\":0.5,\"name\":value}, json: values alone."),
      FlagSpecification("--final", "Shows the last values only, at the end, without their times."),
      errorFormat, deny, host, allowImport, limit,
    ] + GrantedWorld.flags

  static let run = CommandSpecification(
    name: "run", summary: "Runs a program until its inputs have ended, or until ^C.", operands: .one("FILE"),
    flags: runFlags + journalFlags,
    examples: [
      UsageExample("frp run counter.frp < clicks.txt", "each line of standard input is one occurrence"),
      UsageExample("frp run stopwatch.frp --trace taps.jsonl --sample 1s", "timed inputs in simulated time"),
      UsageExample("frp run ball.frp --virtual --for 5s --format jsonl", "five simulated seconds, for a machine"),
      UsageExample("frp run shop.frp --in orders=csv:orders.csv --set rate=0.2", "inputs from files"),
      UsageExample(
        "frp run log.frp --in log=csv:log.csv --time log=time --late 10s --final", "lines at the times that they state"),
    ],
    remarks: [
      "A program with one input reads it from standard input: every line is one occurrence, raw for a String, else "
        + "JSON of the declared type.",
      "Several inputs are read one line each by turns, in the order of their declarations: the same files give the same "
        + "run. A pipe, FIFO or terminal has its turn when a whole line has come; with --virtual it is waited for.",
      "With --time the inputs are merged by their times: at equal times all lines of one, then of the next by declaration, "
        + "each an instant. Lines of inputs without times happen first, at 0. No more is kept than lies within --late.",
      "It ends at --for, or when nothing can happen any more, or when all connected inputs have ended and nothing that "
        + "came in is held back any more: by `delay`, `debounce`, `audit`, or a task under way, and what these lead to. Ticks "
        + "of `every`, `after` and conditions are not waited for, nor what leads to itself in a circle, unless --drain=60s "
        + "bounds the time. In simulated time it ends at the last line, and a note names what was still held back; --drain "
        + "goes on. `end` occurs after all that, in an instant of its own.",
    ],
    run: RunCommand.run)

  private static let serve = CommandSpecification(
    name: "serve", summary: "Shows a running program as a page in a browser: touch it, rewind it, change it.",
    operands: .one("FILE"),
    flags: [
      FlagSpecification("--port", "PORT", "Where the page is served on this machine; without it, at a free port."),
      FlagSpecification("--viewers", "Prints a second address, for those who may only look on."),
      FlagSpecification(
        "--save", "The page may save its text in FILE, by its button and ^S; without it, that is a download."),
      FlagSpecification(
        "--lesson", "FILE is a text with programs in it, or a folder of such texts: each program runs where it stands."),
      FlagSpecification(
        "--recording",
        "FILE is what `frp journal DIR --export` has written: its past can be looked at and changed. Nothing is done in the world."
      ),
      errorFormat, host, allowImport, limit,
    ] + GrantedWorld.flags,
    examples: [
      UsageExample("frp serve counter.frp", "prints the page's address; ^C ends it"),
      UsageExample("frp serve app.frp --port 8000 --viewers", "at a port of your choice, with an address for others"),
      UsageExample("frp serve --lesson docs/lessons", "texts whose programs run, and can be changed, where they stand"),
    ],
    remarks: [
      "Inputs are controls, outputs are views. The page's time can be paused, slowed down and dragged back; its text can be "
        + "changed while it runs, also in the past: what was recorded since then runs again, old beside new.",
      "What another editor writes into FILE, or what it imports, is the page's program as soon as it checks, with all state that is the same.",
      "`/// @range 0 10` above an input makes it a slider. `output page = Page.column([…])` lays the page out; "
        + "`frp doc Page` lists what can be drawn.",
      "The address holds a secret: who has it may change the program. The page is served on 127.0.0.1, or where "
        + "--allow-listen says.",
      "The programs of a lesson are blocks of its Markdown that begin with ```frp. Each begins when somebody looks at it; at most "
        + "16 run at once, and the one that nobody has looked at for longest rests first.",
    ],
    run: ServeCommand.run)

  private static let output = FlagSpecification(
    "--output", short: "o", "FILE|-", "Where a picture is written: an .svg or .png file, or `-` for standard output.")

  private static let canvas = FlagSpecification(
    "--canvas", "CHARACTERS", choices: PlotCanvas.allCases.map(\.rawValue),
    "What pictures in a terminal are made of; ascii where it shows nothing else.")

  private static let journalFlags: [FlagSpecification] = [
    FlagSpecification(
      "--journal", "DIR",
      "Keeps the run in a directory: started again it goes on where it was, killed or not. `frp help journals` says more."
    ),
    FlagSpecification(
      "--upgrade",
      "Lets a changed program take over what the journal has kept, after saying what is kept and what is not."),
    FlagSpecification(
      "--downtime", "WHAT", choices: ["stand", "elapse"],
      "Whether time stands still while no process has the journal (which is the default), or goes on."),
  ]

  /// Pictures choose how values are written, and are of simulated time.
  private static let ofLines: Set<String> = ["--record", "--virtual", "--out", "--format", "--final"]

  private static let plot = CommandSpecification(
    name: "plot", summary: "Draws numbers as curves over time, and events as marks.",
    operands: .some("FILE [NAME|EXPR]"),
    flags: [output, canvas] + runFlags.filter { !ofLines.contains($0.name) },
    examples: [
      UsageExample("frp plot ball.frp height --for 5s", "a curve in the terminal"),
      UsageExample("frp plot ball.frp height bounces --for 5s -o ball.svg", "the same and an event, as a picture"),
      UsageExample("frp plot feed.frp mean --in log=csv:log.csv --time log=at", "data with times of their own"),
    ],
    remarks: [
      "The program runs in simulated time: for --for, or as long as its inputs last, or for 10 s. Without names all outputs are "
        + "drawn; a name need be no output, and an expression will do. Steps are exact; what is continuous is looked at 800 times."
    ],
    run: PlotCommand.run)

  private static let marble = CommandSpecification(
    name: "marble", summary: "Draws events as lanes that `test` blocks read.", operands: .some("FILE [NAME|EXPR]"),
    flags: [output, canvas] + runFlags.filter { !ofLines.contains($0.name) },
    examples: [
      UsageExample("frp marble clock.frp ticks 'ticks |> delay(300ms)' --for 3s", "two lanes, one below the other"),
      UsageExample("frp marble form.frp --trace typing.jsonl -o form.svg", "a picture of a recorded session"),
    ],
    run: MarbleCommand.run)

  private static let graph = CommandSpecification(
    name: "graph", summary: "Shows which definition uses which, with types.", operands: .one("FILE"),
    flags: [
      FlagSpecification(
        "--as", "KIND", choices: ["text", "svg", "dot", "mermaid", "json"],
        "What it is written as; else the file's ending says."),
      FlagSpecification(
        "--focus", "NAME", "Only this definition, what it depends on, and what depends on it."),
      output,
    ] + runFlags.filter { !ofLines.contains($0.name) },
    examples: [
      UsageExample("frp graph ball.frp", "a line for each definition"),
      UsageExample("frp graph ball.frp -o ball.svg", "a picture; dashed where only what was before counts"),
      UsageExample("frp graph shop.frp --focus total --as mermaid", "for a page in Markdown"),
      UsageExample("frp graph shop.frp --trace day.jsonl", "with how often each occurs or changes"),
    ],
    remarks: [
      "With --trace, --in, --for or --until the program runs, in simulated time, and each definition has its rate: how often a "
        + "second it occurred or changed. What varies all the time has none."
    ],
    run: GraphCommand.run)

  private static let diff = CommandSpecification(
    name: "diff", summary: "Compares what two runs have shown, numbers within a tolerance.",
    operands: .two("BEFORE", "AFTER"),
    flags: [
      FlagSpecification(
        "--tolerance", "NUMBER", "How far numbers and times may lie apart, relatively above 1; 0 without it.")
    ],
    examples: [
      UsageExample("frp diff old.jsonl new.jsonl", "lines of `frp run --format jsonl`; exit code 1 if they differ"),
      UsageExample(
        "frp run ball.frp --virtual --for 5s --format jsonl | frp diff ball.jsonl - --tolerance 1e-6", "for CI"),
    ],
    run: DiffCommand.run)

  private static let profile = CommandSpecification(
    name: "profile", summary: "Shows where a program's time and memory go, by definition.", operands: .one("FILE"),
    flags: [
      FlagSpecification(
        "--by", "WHAT", choices: ProfileReport.Measure.allCases.map(\.rawValue),
        "What the shares are shares of, and the order: time without it."),
      FlagSpecification("--json", "As one JSON object."), output,
    ] + runFlags.filter { !ofLines.contains($0.name) },
    examples: [
      UsageExample("frp profile shop.frp --trace day.jsonl", "a table, the greatest share first"),
      UsageExample(
        "frp profile ball.frp --for 60s -o ball.svg", "a flame graph: definitions, their parts, their scopes"),
      UsageExample("frp profile shop.frp --trace day.jsonl --by words", "by what is allocated: the same in every run"),
    ],
    remarks: [
      "Of each definition: how often its parts ran and in how many instants, its occurrences or changes, the steps that its code "
        + "took (calls, turns of loops, elements that the library went through), the words that it allocated, and the memory that it "
        + "holds at the end. Every evaluation is measured, none is sampled: all but the time is the same in every run.",
      "The program runs in simulated time, and each definition on its own: what `frp run` joins is kept apart, so the whole "
        + "takes longer. `frp bench` says how long it really takes. What integrals and comparisons that depend on each other take is "
        + "shared out evenly, without steps.",
    ],
    run: ProfileCommand.run)

  private static let bench = CommandSpecification(
    name: "bench", summary: "Says how fast a program runs, and how it compares with another.", operands: .one("FILE"),
    flags: [
      FlagSpecification("--compare", "FILE", "Runs another program with the same flags, by turns, and says the ratio."),
      FlagSpecification("--rounds", "NUMBER", "How many runs are timed; without it, at least 11, for about a second."),
      FlagSpecification("--json", "As one JSON object."),
    ] + runFlags.filter { !ofLines.contains($0.name) },
    examples: [
      UsageExample("frp bench shop.frp --trace day.jsonl", "occurrences a second, and how far the runs differ"),
      UsageExample("frp bench ball.frp --for 60s --compare other.frp", "which of two is faster, and how sure that is"),
      UsageExample("frp bench shop.frp --json", "its tests, for a machine"),
    ],
    remarks: [
      "A round is a whole run in simulated time: inputs are read and outputs written, to nowhere. Compiling comes before. Times are the "
        + "processor's. Without --trace, --in or --for, the tests of the program are compiled and run.",
      "With --compare the rounds take turns. The ratio is the median of the pairs' ratios; its bounds hold with 95 %, whatever "
        + "the distribution of times.",
    ],
    run: BenchCommand.run)

  /// What a recording says itself.
  private static let recorded: Set<String> = ["--trace", "--record", "--virtual", "--in", "--time", "--from", "--late"]

  private static let journal = CommandSpecification(
    name: "journal", summary: "Shows and checks what `frp run --journal DIR` keeps.", operands: .one("DIR"),
    flags: [
      FlagSpecification("--check", "Reads all of it, and says whether it is what was written."),
      FlagSpecification("--lines", "Prints what came from outside since the newest state, as a recording has it."),
      FlagSpecification(
        "--export", "FILE|-",
        "Writes the program, its newest state and what came since as one file, which `frp serve --recording` shows."),
      FlagSpecification("--compact", "Gives the space of what was forgotten back to the file system."),
    ],
    examples: [
      UsageExample("frp journal counts", "which program, how far it is, and how much is kept"),
      UsageExample("frp journal counts --check", "whether nothing of it is damaged"),
      UsageExample("frp journal counts --export day.jsonl", "what frp serve --recording day.jsonl shows"),
    ],
    remarks: ["A journal belongs to one process at a time: while a run has it, this waits for nobody and says so."],
    run: JournalCommand.run)

  private static let replay = CommandSpecification(
    name: "replay", summary: "Runs what `frp run --record` has written again, without the world.",
    operands: .two("FILE", "RECORDING"), flags: runFlags.filter { !recorded.contains($0.name) },
    examples: [
      UsageExample("frp replay shop.frp day.jsonl", "what frp run shop.frp --record day.jsonl showed, byte for byte")
    ],
    remarks: [
      "It is `frp run FILE --trace RECORDING`. Calls are answered by name, arguments and number; one that the recording does not "
        + "know is an error, one whose end it does not have stays under way. So a changed program can run an old recording."
    ],
    run: RunCommand.replay)

  static let unit = CommandSpecification(
    name: "unit", summary: "Writes the systemd unit that runs a program as a service.", operands: .one("FILE"),
    flags: (runFlags + journalFlags).filter { !UnitCommand.notOfServices.contains($0.name) },
    examples: [
      UsageExample(
        "frp unit visits.frp --journal visits.journal --grants visits.grants > visits.service",
        "what `frp run` was tried with")
    ],
    remarks: [
      "The service is ready once the program has begun, says that it is alive, and begins again where it has failed. It can do what "
        + "was granted, and nothing else: without --allow-net it has no network, without --allow-write no path to write to.",
      "A relative --journal is kept below /var/lib/frp. Programs that it runs (--allow-run, plug-ins) need what they need: what "
        + "concerns them stays open, and the unit says so.",
    ],
    run: UnitCommand.run)

  static let build = CommandSpecification(
    name: "build", summary: "Makes one executable file of a program, for machines without frp.", operands: .one("FILE"),
    flags: [FlagSpecification("--output", short: "o", "FILE", "The executable that is written.")] + runFlags
      + journalFlags,
    examples: [
      UsageExample("frp build ball.frp -o ball", "then `./ball --for 3s` is `frp run ball.frp --for 3s`"),
      UsageExample("frp build shop.frp -o shop --grants shop.grants --seed 7", "with flags that every run has"),
    ],
    remarks: [
      "The file is this executable with the program, what it imports and the flags behind it. It needs Linux on the same kind of "
        + "processor, and glibc; a program that uses the network also libfrp-net.so beside it, which is put there, and libcurl.",
      "What is granted here is granted to whoever runs it, and said by its --help. Paths are those of the machine that it runs on.",
    ],
    run: BuildCommand.run)

  private static let flink = CommandSpecification(
    name: "flink", summary: "Writes a program as a job for Apache Flink, which runs it on many machines.",
    operands: .one("FILE"),
    flags: [
      FlagSpecification("--key", "INPUT.FIELD", repeats: true, "The field by which the lines of an input are parted."),
      FlagSpecification("--output", short: "o", "FILE", "The job that is written; standard output without it."),
    ] + runFlags.filter { FlinkCommand.flags.contains($0.name) },
    examples: [
      UsageExample(
        "frp flink visits.frp --key line.user --in line=jsonl:visits.jsonl --time line=at --from 0 -o visits.job",
        "then `flink run -d -p 2 frp-flink.jar visits.job FOLDER`")
    ],
    remarks: [
      "Outputs are what `keyed` makes of the lines of each key. What needs more than one key's lines is refused. The sorted lines "
        + "in the folder are those of `frp run --format jsonl` with the same flags."
    ],
    run: FlinkCommand.run)

  private static let grants = CommandSpecification(
    name: "grants", summary: "Prints what a program needs to be granted.", operands: .one("FILE"),
    flags: [errorFormat, host, allowImport, limit],
    examples: [
      UsageExample("frp grants shop.frp > shop.grants", "for frp run shop.frp --grants shop.grants")
    ],
    remarks: [
      "A line for each thing that the program's text names: `net=api.example.org:443`, `read=feeds.json`. What it computes is "
        + "a comment, `# net=?  (computed in line 7)`: write what you allow in its place."
    ],
    run: GrantsCommand.run)

  private static let repl = CommandSpecification(
    name: "repl", summary: "A prompt in a running program: definitions live while you type.",
    operands: .optional("FILE"),
    flags: [
      FlagSpecification(
        "--protocol", "KIND", choices: ["json"], "Speak requests and replies, a JSON object a line, in virtual time."),
      host, allowImport, limit,
    ] + GrantedWorld.flags,
    examples: [
      UsageExample("frp repl", "an empty session; :tour shows the way"),
      UsageExample("frp repl counter.frp", "a session with a program's definitions"),
      UsageExample("frp repl --protocol json", "for notebooks and editors"),
    ],
    remarks: [
      "Plain `frp` on a terminal is the same. With a pipe on standard input every line is an entry, without a prompt.",
      "The protocol: {\"id\": 1, \"do\": \"enter\", \"text\": \"n = 1 + 2\"} is answered by {\"id\":1,\"ok\":true,\"text\":\"n : Int = 3\"}. "
        + "`do` is enter (text), check (text: is it complete?), complete (text, cursor), push (input, value), "
        + "advance (to or by, in seconds: gives the occurrences), list, value (name) or quit.",
    ],
    run: ReplEntryPoint.run)

  private static let eval = CommandSpecification(
    name: "eval", summary: "Shows the value of an expression, or runs a program given as text (also: frp -e TEXT).",
    operands: .optional("TEXT"),
    flags: [FlagSpecification("--eval", short: "e", "TEXT", "The expression or program.")] + runFlags,
    examples: [
      UsageExample("frp -e '1..5 |> map(n => n * n)'", "a list"),
      UsageExample("frp -e 'sin(time)' --sample 100ms --for 1s --virtual", "a behavior, looked at ten times"),
      UsageExample(
        "tail -f app.log | frp -e 'lines |> filter(l => contains(l, \"ERROR\"))'", "`lines` is standard input"),
    ],
    run: EvalCommand.run)

  private static let check = CommandSpecification(
    name: "check", summary: "Finds every error of programs without running them.", operands: .some("FILE"),
    flags: [
      errorFormat,
      FlagSpecification(
        "--format", "FORMAT", choices: ["text", "json"], "json: like --error-format json, one object a line."),
      FlagSpecification(
        "--print", "core[:PASS]",
        "For people who work on frp: the program as it is after a pass of the compiler, the last one without PASS; "
          + "an unknown one lists them."),
      deny, host, allowImport, limit,
    ],
    examples: [
      UsageExample("frp check counter.frp", "errors and warnings for people"),
      UsageExample("frp check shop.frp --host Prices.host", "a program that runs in an application"),
      UsageExample("frp check *.frp --format json", "the same for a machine"),
    ],
    run: CheckCommand.run)

  private static let test = CommandSpecification(
    name: "test", summary: "Runs the `test` blocks of programs in simulated time.", operands: .some("FILE"),
    flags: [
      FlagSpecification("--filter", "TEXT", "Only tests whose name contains this."),
      FlagSpecification("--format", "FORMAT", choices: ["text", "json", "junit"], "How results are written."),
      FlagSpecification("--watch", "Runs again whenever a file or a module it imports changes; ^C ends it."),
      errorFormat, deny, host, allowImport, limit,
    ],
    examples: [
      UsageExample("frp test counter.frp", "runs every test of a file"),
      UsageExample("frp test *.frp --filter click --format junit", "some tests, for a machine"),
      UsageExample("frp test counter.frp --watch", "again at every change"),
    ],
    run: TestCommand.run)

  private static let format = CommandSpecification(
    name: "fmt", summary: "Writes programs in the language's one style.", operands: .some("FILE"),
    flags: [FlagSpecification("--check", "Changes nothing; exit code 1 if a file is not formatted."), errorFormat],
    examples: [
      UsageExample("frp fmt *.frp", "rewrites the files that need it"),
      UsageExample("frp fmt --check *.frp", "for CI"),
      UsageExample("frp fmt - < a.frp", "to standard output"),
    ],
    run: FormatCommand.run)

  private static let documentation = CommandSpecification(
    name: "doc", summary: "Shows the reference of the built-ins, or documents programs from their `///` comments.",
    operands: .any("NAME|FILE|FOLDER"),
    flags: [
      FlagSpecification(
        "--output", short: "o", "DIR",
        "Writes pages of HTML into this folder: light and dark, without network or script."),
      FlagSpecification("--json", "What is known of one program, as one JSON object."),
      FlagSpecification("--manual", "Adds the reference of the built-ins and every diagnostic to the pages."),
    ] + runFlags.filter { SiteCommand.runFlags.contains($0.name) } + [errorFormat, host, allowImport, limit],
    examples: [
      UsageExample("frp doc debounce", "what it does, its type, its equation, an example"),
      UsageExample("frp doc List", "everything for lists"),
      UsageExample("frp doc > reference.md", "the whole reference"),
      UsageExample("frp doc shop.frp -o site", "a program: types, comments, examples that were run, pictures"),
      UsageExample("frp doc --manual docs examples -o site", "texts and programs of two folders, and the language"),
      UsageExample("frp doc --host Geo.host Geo", "what a host adds"),
    ],
    remarks: [
      "The `///` lines above a definition are Markdown. Code in them (in a fence, or set in by four) is run: an expression shows "
        + "its value, `area(2.0, 3.0)   // 6.0` must be 6.0, `given` and `expect` are a test. What moves or happens is drawn for five "
        + "seconds. An example that is wrong is told, and the exit code is 1.",
      "A program's outputs are drawn over a run with --trace, --in or --for; without them, with what stands beside it: the trace "
        + "`shop.trace`, or the flags in `shop.args`.",
    ],
    run: DocumentationCommand.run)

  private static let languageServer = CommandSpecification(
    name: "lsp", summary: "Answers an editor: the language server, over standard input and output.", operands: .none,
    flags: [host, allowImport, limit],
    examples: [
      UsageExample("frp lsp", "an editor starts it; docs/editors.md says how to set up each"),
      UsageExample("frp lsp --host Prices.host", "with what an application adds to the language"),
    ],
    remarks: [
      "It speaks the Language Server Protocol 3.17: problems with quick fixes, hover, definition, references, rename, "
        + "symbols, formatting, completion, signature help, colours that tell constants, behaviors and events apart, types "
        + "of definitions, folding, and tests to run. Nothing of a program is run but the tests that somebody asks for."
    ],
    run: LanguageServerCommand.run)

  private static let explain = CommandSpecification(
    name: "explain", summary: "Explains an error code: why the rule exists, and two ways out.",
    operands: .optional("CODE"),
    flags: [
      FlagSpecification("--all", "Every page, one after the other; with --output as one page of HTML."), output,
    ],
    examples: [
      UsageExample("frp explain E0401", "one page"),
      UsageExample("frp explain --all -o errors.html", "a gallery of all"),
      UsageExample("frp explain", "all codes, one line each"),
    ],
    run: ExplainCommand.run)

  private static let completions = CommandSpecification(
    name: "completions", summary: "Writes completions for a shell.", operands: .one("bash|zsh|fish"), flags: [],
    examples: [
      UsageExample("source <(frp completions bash)", "in .bashrc"),
      UsageExample("frp completions fish > ~/.config/fish/completions/frp.fish", "for fish"),
    ],
    run: CompletionsCommand.run)

  private static let man = CommandSpecification(
    name: "man", summary: "Writes the manual page.", operands: .none, flags: [],
    examples: [UsageExample("frp man > frp.1", "man ./frp.1 shows it")], run: ManCommand.run)

  private static let help = CommandSpecification(
    name: "help", summary: "Shows help for a command or a topic.", operands: .optional("COMMAND|TOPIC"), flags: [],
    examples: [
      UsageExample("frp help run", "a command"),
      UsageExample("frp help language", "the language on one page"),
      UsageExample("frp help exit-codes", "what the exit code says"),
    ],
    run: HelpCommand.run)

  private static let version = CommandSpecification(
    name: "version", summary: "Shows the version.", operands: .none,
    flags: [
      FlagSpecification("--json", "As one JSON object."),
      FlagSpecification("--verbose", "Also whether programs run as machine code here."),
    ],
    examples: [UsageExample("frp version --json", "for a machine")],
    run: VersionCommand.run)
}
