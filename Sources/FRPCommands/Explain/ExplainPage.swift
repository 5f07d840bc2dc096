// The page of one diagnostic code. The message on a page is not stored: it is what the compiler says about the wrong
// program now. A test holds that every code has a page, that its wrong program gives the code, and that both ways out
// are free of errors.

struct ExplainPage: Sendable {
  /// A way out: what one does, and the program after it.
  struct WayOut: Sendable {
    let text: String
    let program: String
    init(_ text: String, _ program: String) {
      self.text = text
      self.program = program
    }
  }

  let code: String
  let title: String
  let wrong: String
  let why: String
  let waysOut: [WayOut]
  /// Input for run-time codes, as JSON lines of a trace.
  let trace: String
  /// Whether `wrong` only describes the mistake: it is too large to show, or needs other files or a host.
  let isSketch: Bool

  init(
    _ code: String, _ title: String, isSketch: Bool = false, wrong: String, trace: String = "", why: String,
    _ waysOut: WayOut...
  ) {
    self.code = code
    self.title = title
    self.wrong = wrong
    self.trace = trace
    self.isSketch = isSketch
    self.why = why
    self.waysOut = waysOut
  }

  static let all: [ExplainPage] = syntax + names + types + time + data + faults

  /// The page of a code, in whatever case it is typed.
  static func find(_ code: String) -> ExplainPage? {
    let wanted = code.uppercased()
    return all.first { $0.code == wanted }
  }
}

extension ExplainPage {
  /// The page as text; `message` is what the compiler says about the wrong program.
  func text(message: String) -> String {
    var text = "\(code): \(title)\n\nWrong:\n\n\(Self.indented(wrong))\n"
    if !message.isEmpty { text += "\nMessage:\n\n\(Self.indented(message))\n" }
    text += "\n\(HelpText.wrap(why, width: 80))\n"
    for (number, way) in waysOut.enumerated() {
      text += "\nWay out \(number + 1): \(way.text)\n\n\(Self.indented(way.program))\n"
    }
    return text
  }

  private static func indented(_ block: String) -> String {
    var lines = block.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
  }
}
