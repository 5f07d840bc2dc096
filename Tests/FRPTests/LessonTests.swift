// Texts with programs in them, as `frp serve --lesson` reads and runs them.

import FRP
import FRPBase
import FRPIO
import Testing

@testable import FRPCommands

@Suite struct LessonPageTests {
  private static func parts(_ text: String) -> [String] {
    let lesson = Lesson(text, name: "a.md")
    return lesson.chapters[0].parts.map { part in
      switch part {
      case .text(let text): text
      case .program(let number): "program: \(lesson.programs[number])"
      }
    }
  }

  @Test func programsAreBlocksOfTheLanguage() {
    let text = """
      # Title
      words
      ```frp
      output a = 1

      output b = 2
      ```
      ~~~frp live
      output c = 3
      ~~~
      more
      """
    #expect(
      Self.parts(text) == [
        "# Title\nwords", "program: output a = 1\n\noutput b = 2\n", "program: output c = 3\n", "more",
      ])
    #expect(Lesson(text, name: "a.md").chapters[0].title == "Title")
    #expect(Lesson("words", name: "a.md").chapters[0].title == "a")
  }

  /// What only looks like a program stays text, as Markdown has it.
  @Test(arguments: [
    "````md\n```frp\noutput a = 1\n```\n````", "```sh\n```frp\n```", "    ```frp\noutput a = 1\n", "```frpx\na\n```",
    "``frp\na\n``", "```frp `a`\n", "~~~\n```frp\n~~~",
  ])
  func otherBlocksAreText(_ text: String) {
    #expect(Self.parts(text) == [text])
    #expect(Lesson(text, name: "a.md").programs == [])
  }

  @Test func aBlockEndsAtMarksLikeItsOwn() {
    #expect(Self.parts("````frp\na\n```\n~~~~\n`````  \nb") == ["program: a\n```\n~~~~\n", "b"])
    #expect(Self.parts("a\n```frp\nnobody closes it") == ["a", "program: nobody closes it\n"])
    #expect(Self.parts("a\n```sh\nnobody closes it") == ["a\n```sh\nnobody closes it"])
  }

  @Test func aFolderIsItsFilesInTheirOrder() throws {
    let folder = TemporaryFolder()
    _ = try folder.file("# Second\n```frp\noutput b = 2\n```", "2.md")
    let first = try folder.file("# First\n[next](2.md)\n```frp\noutput a = 1\n```", "1.md")
    _ = try folder.file("no lesson", "3.txt")
    let path = String(first.dropLast("/1.md".count))
    let lesson = try Lesson(path: path)
    #expect(lesson.chapters.map(\.title) == ["First", "Second"])
    #expect(lesson.programs == ["output a = 1\n", "output b = 2\n"])
    #expect(
      lesson.message(isViewer: true)
        == "{\"is\":\"lesson\",\"isViewer\":true,\"chapters\":[{\"name\":\"1.md\",\"title\":\"First\",\"parts\":["
        + "{\"text\":\"# First\\n[next](2.md)\"},{\"program\":0,\"text\":\"output a = 1\\n\"}]},{\"name\":\"2.md\","
        + "\"title\":\"Second\",\"parts\":[{\"text\":\"# Second\"},{\"program\":1,\"text\":\"output b = 2\\n\"}]}]}")
    #expect(throws: IOError.self) { try Lesson(path: path + "/3.txt") }
    #expect(throws: IOError.self) { try Lesson(path: path + "/4.md") }
    let served = frp("serve", "--lesson", path + "/3.txt")
    #expect(served.code == 2)
    #expect(served.err.hasPrefix("frp: there is no program in "))
  }

  private static func draft(_ text: String) -> PageSession {
    PageSession(draft: text, name: "program 1", Console(input: -1, out: Writer(), err: Writer()), Surroundings())
  }

  /// A text may hold a program that does not check yet: it is shown with its mistakes, and runs once it is right.
  @Test func aDraftRunsOnceItIsRight() throws {
    let page = Self.draft("output x = siz(1)\n")
    let message = page.program(isViewer: false)
    #expect(message.contains("\"text\":\"output x = siz(1)\\n\""))
    #expect(message.contains("\"severity\":\"error\""))
    #expect(message.contains("\"outputs\":[]"))
    #expect(page.edit("output x = 2\n").contains("\"isTaken\":true"))
    #expect(try page.session.simulation?.value(of: "x") == "2")
  }

  /// Of more programs than may run at once those rest that nobody looks at, and what was written in them stays.
  @Test func programsThatNobodyLooksAtRest() throws {
    let count = PageRooms.most + 2
    let text = (0..<count).map { "```frp\noutput x = \($0)\n```\n" }.joined()
    var made: [Int] = []
    let rooms = PageRooms(Lesson(text, name: "a.md")) { text, number in
      made.append(number)
      return PageRoom(Self.draft(text), nil)
    }
    let server = HTTPServer()
    let first = try #require(rooms.room(0))
    #expect(first.page.edit("output x = 100\n").contains("\"isTaken\":true"))
    for number in 1..<PageRooms.most {
      try #require(rooms.room(number)).enter(PageViewer(number, isViewer: false, server))
    }
    #expect(rooms.room(0) === first)
    // The first is the only one that may rest.
    let next = try #require(rooms.room(PageRooms.most))
    next.enter(PageViewer(PageRooms.most, isViewer: false, server))
    #expect(rooms.open.count == PageRooms.most)
    #expect(rooms.room(0) == nil)
    #expect(rooms.room(count) == nil)
    #expect(rooms.room(-1) == nil)
    let viewer = PageViewer(100, isViewer: false, server)
    let second = try #require(rooms.room(1))
    second.enter(viewer)
    next.enter(viewer)
    next.leave(viewer)
    #expect(rooms.room(0) == nil)
    let third = try #require(rooms.room(2))
    third.leave(PageViewer(2, isViewer: false, server))
    #expect(try #require(rooms.room(0)).page.text.text == "output x = 100\n")
    #expect(made == Array(0...PageRooms.most) + [0])
    server.close()
  }
}
