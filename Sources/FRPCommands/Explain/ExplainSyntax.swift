// Pages of E01xx: how a program is written.

extension ExplainPage {
  static let syntax: [ExplainPage] = [
    ExplainPage(
      "E0101", "a bracket is never closed, or closes nothing",
      wrong: """
        area(w, h) = (w * h
        output a = area(2, 3)
        """,
      why: """
        Inside brackets line breaks mean nothing, so an open bracket would swallow the definitions that follow. The \
        compiler stops at the next line that starts at the margin and shows the bracket that is open.
        """,
      WayOut("close the bracket", "area(w, h) = (w * h)\noutput a = area(2, 3)"),
      WayOut("leave it out", "area(w, h) = w * h\noutput a = area(2, 3)")),
  ]
}
