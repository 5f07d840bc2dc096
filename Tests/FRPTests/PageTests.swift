// The page behind `frp serve`, without its sockets: what it says of a program, of its past, and of another past.

import FRP
import FRPBase
import Testing

@testable import FRPCommands

@Suite struct PageTests {
  private static let program = """
    /// Beats a minute.
    /// @range 30 240
    /// @step 0.5
    input tempo: Behavior<Float> = 60.0
    input name: Behavior<String> = "ann"
    input tap: Event<()>
    angle = integral(tempo)
    output greeting = "hello {name}"
    output n = tap |> count
    output wave = angle * 2.0
    output taps = tap |> map(_ => n)
    """

  /// A page whose time goes on only by `go`.
  private static func page(_ text: String = program) throws -> PageSession {
    let page = try PageSession(
      name: "app.frp", text: text, Console(input: -1, out: Writer(), err: Writer()), Surroundings())
    page.session.clock.choose(virtual: true)
    page.session.clock.set(to: page.session.simulation?.now ?? 0)
    return page
  }

  private static func go(_ page: PageSession, to time: Double) {
    page.session.advance(to: time)
    page.session.clock.set(to: time)
  }

  private static func field(_ message: String, _ names: String...) -> String? {
    var json: String? = message
    for name in names { json = json.flatMap(JSONParts.object)?.first { $0.name == name }?.json }
    return json
  }

  // MARK: What it says

  @Test func placesAreCountedAsBrowsersCount() {
    let text = "aé🙂b\n∿c"
    let offsets = UTF16Offsets(text)
    for (index, place) in zip(text.utf8.indices, 0...) where String.Index(index, within: text) != nil {
      #expect(offsets.offset(place) == text.utf16.distance(from: text.utf16.startIndex, to: index))
    }
    #expect(offsets.offset(text.utf8.count) == text.utf16.count)
    #expect(offsets.offset(1_000) == text.utf16.count)
    #expect(offsets.offset(-1) == 0)
  }

  @Test func controlsAreDescribed() throws {
    let page = try Self.page()
    let message = page.program(isViewer: false)
    let inputs = try #require(Self.field(message, "inputs").flatMap(JSONParts.array))
    #expect(
      inputs[0] == "{\"name\":\"tempo\",\"type\":\"Float\",\"doc\":\"Beats a minute.\",\"isEvent\":false,"
        + "\"range\":[30.0,240.0],\"step\":0.5,\"value\":60.0}")
    #expect(inputs[2].hasPrefix("{\"name\":\"tap\",\"type\":\"Unit\",\"doc\":\"\",\"isEvent\":true"))
    let outputs = try #require(Self.field(message, "outputs").flatMap(JSONParts.array))
    #expect(outputs.map { Self.field($0, "kind") } == ["\"step\"", "\"step\"", "\"continuous\"", "\"event\""])
    let edges = try #require(Self.field(message, "graph", "edges").flatMap(JSONParts.array))
    #expect(edges.contains("{\"from\":0,\"to\":7,\"looksAtPast\":true}") || !edges.isEmpty)
  }

  /// An output that is only another name of an input, a definition or an output is moved by it.
  @Test func otherNamesAreMovedByWhatTheyName() throws {
    let page = try Self.page(
      """
      input n: Event<Int>
      x = n |> map(i => i + 1)
      output y = x
      output z = y
      output m = n
      output k = x |> count
      """)
    let message = page.program(isViewer: false)
    let nodes = try #require(Self.field(message, "graph", "nodes").flatMap(JSONParts.array))
    let names = nodes.map { Self.field($0, "name") ?? "" }
    let edges = try #require(Self.field(message, "graph", "edges").flatMap(JSONParts.array)).map { edge in
      ["from", "to"].map { Self.field(edge, $0).flatMap { Int($0) }.map { names[$0] } ?? "" }.joined(separator: " ")
    }
    #expect(
      Set(edges) == [
        "\"n\" \"x\"", "\"x\" \"y\"", "\"x\" \"z\"", "\"n\" \"m\"", "\"x\" \"k\"",
      ])
  }

  @Test func whatDoesNotFitNamesItsInput() throws {
    let page = try Self.page()
    #expect(!page.session.send([("name", "\"bo\""), ("tempo", "\"fast\"")]))
    #expect(page.words.take() == ["tempo: expected Float, found \"fast\""])
  }

  @Test func typesHaveTheirShape() throws {
    let page = try Self.page(
      """
      type Tree = Leaf | Node(left: Tree, right: Tree) | Both(Int, {x: Float})
      input t: Behavior<Option<Tree>> = None
      output a = t
      output b = Map.set(Map.empty, "k", (1, [true]))
      """)
    let message = page.program(isViewer: false)
    let tree =
      "{\"variants\":\"Tree\",\"cases\":[[\"Leaf\",[]],[\"Node\",[[\"left\",{\"ref\":\"Tree\"}],[\"right\",{\"ref\":\"Tree\"}]]],"
      + "[\"Both\",[[null,\"Int\"],[null,{\"record\":[[\"x\",\"Float\"]]}]]]]}"
    #expect(message.contains("\"name\":\"t\",\"type\":{\"option\":\(tree)}"))
    #expect(message.contains("{\"map\":[\"String\",{\"tuple\":[\"Int\",{\"list\":\"Bool\"}]}]}"))
  }

  @Test func mistakesHaveTheirPlace() throws {
    let page = try Self.page()
    let text = "// é🙂\noutput x = size(1)"
    let answer = page.edit(text, isTrial: true)
    let problem = try #require(Self.field(answer, "problems").flatMap(JSONParts.array)?.first)
    let from = try #require(Self.field(problem, "from").flatMap { Int($0) })
    let start = text.utf16.index(text.utf16.startIndex, offsetBy: from)
    #expect(text[start...].hasPrefix("1)") || text[start...].hasPrefix("size(1)"))
    #expect(throws: PageSession.PageProblem.self) { try Self.page("output x = ") }
  }

  /// `at` is the time of a line of outputs, and may be the name of a definition; the page does not look at that one.
  @Test func aDefinitionMayBeCalledAt() throws {
    let page = try Self.page("input tap: Event<()>\nat = tap |> count\noutput n = at + 1")
    page.session.send([("tap", "null")])
    #expect(try page.session.simulation?.value(of: "n") == "2")
    #expect(page.shown.map(\.name) == ["tap", "n"])
    #expect(page.edit("at = 3\noutput n = at + 1").contains("\"isTaken\":true"))
    #expect(try page.session.simulation?.value(of: "n") == "4")
  }

  /// What is kept of a long value is cut: a message that held it would be no JSON, and the page would lose all of it.
  @Test func whatWasCutIsNotSaid() throws {
    let page = try Self.page(
      """
      input tap: Event<()>
      n = tap |> count
      output long = 1..(50000 * n)
      output short = n
      output longer = tap |> map(_ => 1..(50000 * n))
      """)
    for time in [0.5, 1.0, 1.5] {
      Self.go(page, to: time)
      page.session.send([("tap", "null")])
    }
    let past = PagePast(page)
    for message in [past.history(), past.message(at: 1.2)] {
      #expect(!message.contains("…"))
      #expect(message.contains("$fault"))
    }
    // What has neither a lane nor a plot is no part of the history, however long it is.
    #expect(past.history().utf8.count < 2_000)
    #expect(Self.field(past.history(), "values", "long") == nil)
    #expect(Self.field(past.history(), "values", "short") == "[[0.0,0],[0.5,1],[1.0,2],[1.5,3]]")
  }

  /// Lanes and plots of a page that has just been opened begin with what inputs and definitions were, too.
  @Test func aHistoryTellsWhatHasALane() throws {
    let page = try Self.page()
    page.session.send([("tempo", "90.0")])
    Self.go(page, to: 4)
    page.session.send([("name", "\"bob\"")])
    Self.go(page, to: 32)
    let history = PagePast(page).history()
    #expect(Self.field(history, "values", "tempo") == "[[2.0,90.0]]")
    #expect(Self.field(history, "values", "name") == "[[2.0,\"ann\"],[4.0,\"bob\"]]")
    #expect(Self.field(history, "values", "angle").flatMap(JSONParts.array)?.first == "[2.0,180.0]")
    #expect(Self.field(history, "values", "angle").flatMap(JSONParts.array)?.count == 500)
  }

  // MARK: Edits

  @Test func aRightEditKeepsStateAndAWrongOneChangesNothing() throws {
    let page = try Self.page()
    page.session.send([("tap", "null"), ("name", "\"bob\"")])
    Self.go(page, to: 1)
    let wrong = page.edit("output n = ")
    #expect(Self.field(wrong, "isTaken") == "false")
    #expect(try page.session.simulation?.value(of: "n") == "1")
    let right = page.edit(Self.program.replacing("hello", with: "hi"))
    #expect(Self.field(right, "isTaken") == "true")
    #expect(right.contains("state kept"))
    #expect(try page.session.simulation?.value(of: "greeting") == "\"hi bob\"")
    #expect(try page.session.simulation?.value(of: "n") == "1")
    #expect(page.undo() != nil)
    #expect(try page.session.simulation?.value(of: "greeting") == "\"hello bob\"")
    #expect(page.text.text == Self.program)
    #expect(page.redo() != nil)
    #expect(try page.session.simulation?.value(of: "greeting") == "\"hi bob\"")
    #expect(page.undo() != nil)
    #expect(page.undo() == nil)
  }

  // MARK: The past

  /// Whatever order moments are looked at in, they are what frames told when they were the present.
  @Test func momentsOfThePastAreWhatWasTold() throws {
    let page = try Self.page()
    var told: [(time: Double, values: [String])] = []
    let names = ["tempo", "name", "greeting", "n", "wave", "angle"]
    for step in 1...60 {
      // What is sent at a moment belongs to it, so nothing is sent at those that are told.
      Self.go(page, to: Double(step) / 4 - 0.125)
      if step % 3 == 0 { page.session.send([("tap", "null")]) }
      if step % 7 == 0 { page.session.send([("tempo", "\(step).5")]) }
      if step == 30 { _ = page.edit(Self.program.replacing("* 2.0", with: "* 3.0")) }
      Self.go(page, to: Double(step) / 4)
      let simulation = try #require(page.session.simulation)
      told.append((Double(step) / 4, names.map { PageSession.value($0, in: simulation) }))
    }
    let past = PagePast(page)
    var generator = SystemRandomNumberGenerator()
    for moment in told.shuffled(using: &generator) + told {
      let message = past.message(at: moment.time)
      #expect(names.map { Self.field(message, "values", $0) } == moment.values, "at \(moment.time)")
    }
    #expect(Self.field(past.message(at: 1e9), "t") == "15.0")
    #expect(Self.field(past.message(at: -3), "t") == "0.0")
  }

  @Test func anotherPastStandsBesideTheOldOneUntilItIsKept() throws {
    let page = try Self.page()
    Self.go(page, to: 1)
    page.session.send([("tap", "null")])
    Self.go(page, to: 2)
    page.session.send([("tap", "null")])
    Self.go(page, to: 4)
    let past = PagePast(page)
    let text = Self.program.replacing("tap |> count", with: "tap |> fold(10, (s, _) => s + 1)")
    let answer = past.rewrite(at: 0.5, text, sending: [])
    #expect(Self.field(answer, "old", "n") == "[[0.5,0],[1.0,1],[2.0,2]]")
    #expect(Self.field(answer, "new", "n") == "[[0.5,10],[1.0,11],[2.0,12]]")
    #expect(Self.field(answer, "new", "wave").flatMap(JSONParts.array)?.last == "[4.0,480.0]")
    // The run is as it was.
    #expect(try page.session.simulation?.value(of: "n") == "2")
    #expect(past.keep() == 0.5)
    #expect(past.keep() == nil)
    #expect(try page.session.simulation?.value(of: "n") == "12")
    #expect(try page.session.simulation?.value(of: "wave") == "480.0")
    page.session.send([("tap", "null")])
    #expect(try page.session.simulation?.value(of: "n") == "13")
    #expect(Self.field(past.message(at: 1.5), "values", "n") == "11")
    let wrong = past.rewrite(at: 0.5, "output n = ", sending: [])
    #expect(Self.field(wrong, "problems") != "[]")
    #expect(past.keep() == nil)
  }

  @Test func valuesSentInThePastChangeIt() throws {
    let page = try Self.page()
    Self.go(page, to: 2)
    page.session.send([("tap", "null")])
    Self.go(page, to: 4)
    let past = PagePast(page)
    let answer = past.rewrite(at: 1, Self.program, sending: [("tap", "null"), ("tap", "null"), ("nobody", "1")])
    #expect(Self.field(answer, "old", "n") == "[[1.0,0],[2.0,1]]")
    #expect(Self.field(answer, "new", "n") == "[[1.0,2],[2.0,3]]")
    #expect(past.keep() == 1)
    #expect(try page.session.simulation?.value(of: "n") == "3")
    // The text is as it was, so there is nothing to undo.
    #expect(page.undo() == nil)
    let history = past.history(since: 0)
    #expect(Self.field(history, "values", "n") == "[[0.0,0],[1.0,1],[1.0,2],[2.0,3]]")
  }

  @Test func aTextFromTheBeginningIsWhatBegan() throws {
    let page = try Self.page()
    page.session.send([("tap", "null")])
    Self.go(page, to: 3)
    let past = PagePast(page)
    let text = Self.program.replacing("tap |> count", with: "size * 100 + (tap |> count)\nsize = 3 + 4")
    let answer = past.rewrite(at: 0, text, sending: [])
    #expect(Self.field(answer, "new", "n")?.hasSuffix("701]]") == true)
    #expect(past.keep() == 0)
    #expect(try page.session.simulation?.value(of: "n") == "701")
    #expect(Self.field(past.message(at: 2), "values", "n") == "701")
  }

  private static let beginning = "output n = merge(start, every(1s)) |> count\noutput s = start |> map(_ => 7)"

  @Test func theProgramOfAPageStarts() throws {
    let page = try Self.page(Self.beginning)
    Self.go(page, to: 3)
    #expect(try page.session.simulation?.value(of: "n") == "4")
    let past = PagePast(page)
    #expect(Self.field(past.message(at: 0), "values", "n") == "1")
    #expect(Self.field(past.message(at: 1.5), "values", "n") == "2")
    #expect(Self.field(past.history(), "events", "s") == "[[0.0,7]]")
    page.restart()
    #expect(try page.session.simulation?.value(of: "n") == "1")
    #expect(page.recover())
    #expect(try page.session.simulation?.value(of: "n") == "4")
    page.goBack(to: 0)
    #expect(try page.session.simulation?.value(of: "n") == "1")
  }

  /// A text that takes another's place comes when the start has been, and one that is put at the beginning is what starts.
  @Test func theStartHasBeenWhereATextIsChanged() throws {
    let page = try Self.page(Self.beginning)
    Self.go(page, to: 3)
    let text = Self.beginning + "\noutput late = start |> map(_ => 1) |> hold(0)"
    #expect(page.edit(text).contains("\"isTaken\":true"))
    #expect(try page.session.simulation?.value(of: "late") == "0")
    #expect(page.undo() != nil)
    #expect(try page.session.simulation?.value(of: "n") == "4")
    let past = PagePast(page)
    #expect(Self.field(past.rewrite(at: 0, text, sending: []), "new", "late")?.hasPrefix("[[0.0,1]") == true)
    #expect(past.keep() == 0)
    #expect(try page.session.simulation?.value(of: "late") == "1")
    #expect(try page.session.simulation?.value(of: "n") == "4")
  }

  /// What was no program yet begins when it is one.
  @Test func aDraftStartsWhenItIsAProgram() throws {
    let page = PageSession(
      draft: "output n = merge(start, every(1s)) |> coun", name: "draft",
      Console(input: -1, out: Writer(), err: Writer()),
      Surroundings())
    page.session.clock.choose(virtual: true)
    page.session.clock.set(to: 0)
    Self.go(page, to: 3)
    #expect(page.edit(Self.beginning).contains("\"isTaken\":true"))
    #expect(page.session.clock.now == 0)
    Self.go(page, to: 2)
    #expect(try page.session.simulation?.value(of: "n") == "3")
  }

  @Test func whatWasLeftComesBack() throws {
    let page = try Self.page()
    #expect(!page.recover())
    page.session.send([("tap", "null")])
    Self.go(page, to: 3)
    for leave in [{ page.goBack(to: 0) }, { page.restart() }] {
      leave()
      page.session.send([("tap", "null")])
      page.session.send([("tap", "null")])
      #expect(page.recover())
      #expect(try page.session.simulation?.value(of: "n") == "1")
      #expect(page.session.clock.now == 3)
    }
    #expect(page.recover())
    #expect(try page.session.simulation?.value(of: "n") == "2")
  }

  @Test func theRunGoesOnFromAMomentOfThePast() throws {
    let page = try Self.page()
    page.session.send([("tap", "null")])
    Self.go(page, to: 2)
    page.session.send([("tap", "null")])
    Self.go(page, to: 3)
    page.goBack(to: 1)
    #expect(try page.session.simulation?.value(of: "n") == "1")
    Self.go(page, to: 5)
    #expect(try page.session.simulation?.value(of: "n") == "1")
    #expect(try page.session.simulation?.value(of: "wave") == "600.0")
  }

  /// Looking at a moment costs what has happened since the state before it, so there are more where more happens.
  @Test func statesOfThePastAreKeptByInstantsToo() throws {
    let page = try Self.page("output n = every(0.0001) |> count")
    for step in 1...19 { Self.go(page, to: Double(step) / 10) }
    #expect(page.session.checkpoints.contains { $0.time > 0 && $0.instants > 4_000 })
  }

  /// However long a run is, so many states are kept, and the oldest moments are no farther from one than others.
  @Test func statesOfALongPastAreSpreadEvenly() throws {
    let page = try Self.page()
    let most = ReplCheckpointing.often.most
    for step in 1...(3 * most) {
      Self.go(page, to: Double(step))
      page.session.checkpoint()
    }
    let times = page.session.checkpoints.map(\.time)
    #expect(times.count == most)
    #expect(times.first == 0)
    #expect(times.last == Double(3 * most))
    let newest = (3 * most - 7...3 * most).map(Double.init)
    #expect(Array(times.suffix(8)) == newest)
    let stretches: [Double] = zip(times, times.dropFirst()).map { $0.1 - $0.0 }
    #expect(stretches.allSatisfy { $0 <= 6 })
  }

  /// Large values that come often are kept by their bytes, and so are the states that hold them.
  @Test func whatWasShownIsKeptByItsBytes() throws {
    let page = try Self.page("output lists = every(0.01) |> map(_ => List.range(1, 2_500))")
    for step in 1...20 {
      Self.go(page, to: Double(step))
      page.session.checkpoint()
    }
    let bytes = try #require(page.session.trace["lists"]?.recent.map(\.json.utf8.count))
    #expect(bytes.allSatisfy { $0 > 11_000 })
    #expect(bytes.reduce(0, +) > 200_000 && bytes.reduce(0, +) < 524_288)
    #expect(page.session.checkpoints.allSatisfy { $0.bytes < 600_000 })
  }

  // MARK: Frames

  @Test func aLongOccurrenceIsToldWhole() throws {
    let page = try Self.page("input tap: Event<()>\noutput lists = tap |> map(_ => List.range(1, 10_000))")
    let frames = PageFrames(page)
    frames.forget()
    _ = frames.next()
    page.session.send([("tap", "null")])
    let frame = try #require(frames.next())
    #expect(Self.field(frame, "events")?.contains(",9999,10000]]") == true)
  }

  @Test func manyOccurrencesAreToldInPartAndCounted() throws {
    let page = try Self.page()
    let frames = PageFrames(page)
    frames.forget()
    _ = frames.next()
    for _ in 0..<5_000 {
      page.session.send([("tap", "null")])
      frames.collect()
    }
    let frame = try #require(frames.next())
    let events = try #require(Self.field(frame, "events").flatMap(JSONParts.array))
    let taps = events.filter { $0.hasPrefix("[\"taps\"") }
    #expect(taps.count == 60)
    #expect(taps.last?.hasSuffix(",4999]") == true)
    #expect(Self.field(frame, "missed", "taps") == "4940")
    #expect(Self.field(frame, "count", "taps") == "5000")
    #expect(frames.next() == nil)
    #expect(Self.field(frames.whole(), "values", "n") == "5000")
  }

  // MARK: The file

  @Test func aSharedFileHoldsTheRunAndNoMarkupOfItsTexts() throws {
    let page = try Self.page(Self.program.replacing("hello", with: "</script><script>alert(1)</script>"))
    Self.go(page, to: 1)
    page.session.send([("tap", "null")])
    let message = PagePast(page).shared()
    #expect(Self.field(message, "name") == "\"app.html\"")
    let html = try #require(Self.field(message, "html").flatMap(JSONParts.string))
    let recording = try #require(html.split(separator: "id=\"recording\">").last?.split(separator: "</script>").first)
    #expect(!recording.contains("<"))
    let frames = try #require(Self.field(String(recording), "frames").flatMap(JSONParts.array))
    #expect(frames.count == 31)
    #expect(Self.field(String(recording), "events", "tap") == "[[1.0,null]]")
    #expect(!html.contains("<script>alert"))
  }
}
