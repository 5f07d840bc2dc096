// Pages of E01xx: how a program is written.

extension ExplainPage {
  static let syntax: [ExplainPage] = [
    ExplainPage(
      .unbalancedBracket, "a bracket is never closed, or closes nothing",
      wrong: """
        area(w, h) = (w * h
        output a = area(2, 3)
        """,
      why: """
        Inside brackets line breaks mean nothing, so an open bracket would swallow the definitions that follow. The \
        compiler stops at the next line that starts at the margin and shows the bracket that is open.
        """,
      WayOut(
        "close the bracket",
        """
        area(w, h) = (w * h)
        output a = area(2, 3)
        """),
      WayOut(
        "leave it out",
        """
        area(w, h) = w * h
        output a = area(2, 3)
        """)),
    ExplainPage(
      .unterminatedText, "a text has no closing quote",
      wrong: """
        output greeting = "good morning
        """,
      why: """
        A text in single quotes ends on its line, so that one forgotten quote spoils one line and not the rest of the \
        file.
        """,
      WayOut(
        "close it",
        """
        output greeting = "good morning"
        """),
      WayOut(
        "write a text of several lines with three quotes",
        #"""
        output greeting = """
          good
          morning
          """
        """#)),
    ExplainPage(
      .confusedEquals, "`=` and `==` are confused",
      wrong: """
        input n: Behavior<Int> = 0
        output zero = if n = 0 then "zero" else "more"
        """,
      why: """
        `=` defines a name, once and for all. `==` asks whether two values are equal.
        """,
      WayOut(
        "compare",
        """
        input n: Behavior<Int> = 0
        output zero = if n == 0 then "zero" else "more"
        """),
      WayOut(
        "match on the value",
        """
        input n: Behavior<Int> = 0
        output zero = match n {
          0 => "zero"
          _ => "more"
        }
        """)),
    ExplainPage(
      .missingElse, "an `if` has no `else`",
      wrong: """
        input n: Behavior<Int> = 0
        output sign = if n < 0 then "negative"
        """,
      why: """
        An `if` is a value, and a value must be there in both cases. There is nothing like doing something only \
        sometimes; what happens only sometimes is an event.
        """,
      WayOut(
        "say what it is otherwise",
        """
        input n: Behavior<Int> = 0
        output sign = if n < 0 then "negative" else ""
        """),
      WayOut(
        "make an event of the moments when it becomes true",
        """
        input n: Behavior<Int> = 0
        output sign = when(n < 0) |> map(_ => "negative")
        """)),
    ExplainPage(
      .reservedWord, "a word of the language is used as a name",
      wrong: """
        input type: Behavior<Int> = 1
        output doubled = type * 2
        """,
      why: """
        Words such as `type`, `input`, `match` and `if` begin things, so they cannot name anything.
        """,
      WayOut(
        "choose another name",
        """
        input kind: Behavior<Int> = 1
        output doubled = kind * 2
        """),
      WayOut(
        "say what it is the type of",
        """
        input ticketType: Behavior<Int> = 1
        output doubled = ticketType * 2
        """)),
    ExplainPage(
      .foreignHabit, "the habit of another language",
      wrong: """
        x = 1
        x += 2
        output x
        """,
      why: """
        There is no assignment, no loop, no `return`, no `let`: a definition holds for ever. What changes over time is \
        made from events, by `hold` and `fold`. Words and operators of other languages are recognised, and the message \
        says how the same thing is written here.
        """,
      WayOut(
        "make what changes from an event",
        """
        input steps: Event<Int>
        output x = steps |> fold(1, (n, step) => n + step)
        """),
      WayOut(
        "give the second value a name of its own",
        """
        x = 1
        y = x + 2
        output y
        """)),
    ExplainPage(
      .missingOperand, "an operator lacks one of its sides",
      wrong: """
        output total = 1 +
        output other = 2
        """,
      why: """
        An operator joins two values. At the end of a line it waits for its right side on the next, indented one.
        """,
      WayOut(
        "write the other side",
        """
        output total = 1 + 1
        output other = 2
        """),
      WayOut(
        "remove the operator",
        """
        output total = 1
        output other = 2
        """)),
    ExplainPage(
      .lookAlikeCharacter, "a character that only looks right",
      wrong: """
        output greeting = “hello”
        """,
      why: """
        Curly quotes, blanks that are no blanks, and full-width digits come with text that is pasted from documents. \
        They look like the characters of the language but are others.
        """,
      WayOut(
        "type the plain character",
        """
        output greeting = "hello"
        """),
      WayOut(
        "keep it inside a text, where every character may stand",
        """
        output greeting = "“hello”"
        """)),
    ExplainPage(
      .directionControl, "a character that changes the direction of text",
      wrong: """
        output price = 12 // \u{202E}sorue
        """,
      why: """
        Some characters that cannot be seen turn the text after them around, so that a program may look other than it \
        is. They belong into texts of languages that are written from right to left, and can be written as escapes there.
        """,
      WayOut(
        "take it out",
        """
        output price = 12 // euros
        """),
      WayOut(
        "write it as an escape in a text",
        """
        output text = "\\u{202E}sorue"
        """)),
    ExplainPage(
      .malformedNumber, "a number that is not written like one",
      wrong: """
        output half = .5
        """,
      why: """
        A number has digits before and after its dot, so that `1..5` and `x.field` cannot be misread. Underscores may \
        stand between digits only.
        """,
      WayOut(
        "write the zero",
        """
        output half = 0.5
        """),
      WayOut(
        "divide",
        """
        output half = 1.0 / 2.0
        """)),
    ExplainPage(
      .deepNesting, "something is nested too deeply",
      isSketch: true,
      wrong: """
        output x = ((((((((…2,000 brackets deep…))))))))
        """,
      why: """
        Nobody can read that, and every later step would need as much stack. The limit is 2,000 levels.
        """,
      WayOut(
        "give parts of it names",
        """
        inner = 1 + 2
        output x = inner * 3
        """),
      WayOut(
        "fold a list instead of nesting by hand",
        """
        output x = fold([1, 2, 3], 0, (+))
        """)),
    ExplainPage(
      .strayCharacter, "a character has no meaning here",
      wrong: """
        output price = 3 € 2
        """,
      why: """
        Outside of texts and comments a program consists of names, numbers, and the operators of the language.
        """,
      WayOut(
        "put it into a text",
        """
        output price = "3 €"
        """),
      WayOut(
        "write an operator",
        """
        output price = 3 + 2
        """)),
    ExplainPage(
      .unexpectedToken, "something else is expected here",
      wrong: """
        input clicks: Event<Unit> Event
        output n = clicks |> count
        """,
      why: """
        At this place only a few things can stand; the message says which. One such message is given a mistake, and \
        what follows is read again from the next line of the same block.
        """,
      WayOut(
        "remove what does not belong there",
        """
        input clicks: Event<Unit>
        output n = clicks |> count
        """),
      WayOut(
        "begin a new line for something new",
        """
        input clicks: Event<Unit>
        input taps: Event<Unit>
        output n = merge(clicks, taps) |> count
        """)),
    ExplainPage(
      .malformedText, "an escape or a hole in a text is wrong",
      wrong: #"""
        output path = "C:\data"
        """#,
      why: #"""
        A backslash begins an escape such as `\n` or `\"`, and braces hold a value: `"{x}"`.
        """#,
      WayOut(
        "write two backslashes",
        #"""
        output path = "C:\\data"
        """#),
      WayOut(
        "do without",
        """
        output path = "C:/data"
        """)),
    ExplainPage(
      .chainedComparison, "comparisons are chained",
      wrong: """
        input x: Behavior<Int> = 5
        output inside = 0 < x < 10
        """,
      why: """
        `0 < x` is a Bool, and Bools are not compared with numbers.
        """,
      WayOut(
        "join two comparisons",
        """
        input x: Behavior<Int> = 5
        output inside = 0 < x && x < 10
        """),
      WayOut(
        "compare with the nearest allowed value",
        """
        input x: Behavior<Int> = 5
        output inside = clamp(x, 1, 9) == x
        """)),
    ExplainPage(
      .misplacedLine, "a line stands where it cannot",
      wrong: """
        output n = 1
        3 + 4
        """,
      why: """
        A file holds definitions. A line at the margin begins one; an indented line continues the one before.
        """,
      WayOut(
        "give the value a name",
        """
        output n = 1
        output sum = 3 + 4
        """),
      WayOut(
        "indent what continues a definition",
        """
        output n = 1
          + 3 + 4
        """)),
    ExplainPage(
      .malformedRecord, "a record is not written like one",
      wrong: """
        point = {x = 1, y = 2}
        output point
        """,
      why: """
        In braces `name = value` is a definition of a block, `name: value` a field of a record. A field's name begins with a
        small letter and has letters, digits and `_`; any other name, as JSON and CSV have them, stands in backticks:
        {`Order ID`: 7}, order.`Order ID`. In a test each name behind `with` is one character of the lane, and given once.
        """,
      WayOut(
        "write colons",
        """
        point = {x: 1, y: 2}
        output point
        """),
      WayOut(
        "write a block with a value at its end",
        """
        point = {
          x = 1
          (x, 2)
        }
        output point
        """)),
    ExplainPage(
      .largeFile, "a file is too large",
      isSketch: true,
      wrong: """
        (a file of more than 8 MiB)
        """,
      why: """
        A program of that size was written by a machine, most likely a table. Data comes in through inputs.
        """,
      WayOut(
        "read the data as an input",
        """
        input rows: Event<{name: String, amount: Int}>
        output total = rows |> fold(0, (sum, r) => sum + r.amount)
        """),
      WayOut(
        "spread it over modules",
        """
        output part = 1
        """)),
    ExplainPage(
      .doubtfulComment, "a comment is hardly meant as one",
      wrong: """
        input cents: Behavior<Int> = 250
        output euros = cents // 100
        """,
      why: """
        In some languages `//` divides and rounds down. Here it begins a comment, so that `euros` is `cents`. Only a number \
        by itself, or a name right behind the slashes, is taken for a divisor; words are not.
        """,
      WayOut(
        "divide Ints",
        """
        input cents: Behavior<Int> = 250
        output euros = div(cents, 100)
        """),
      WayOut(
        "say what the comment means",
        """
        input cents: Behavior<Int> = 250
        output euros = cents // a hundredth of it, where it is shown
        """)),
    ExplainPage(
      .doubtfulText, "a text has braces or a dollar sign that are hardly meant",
      wrong: """
        input year: Behavior<String> = "2024"
        output isYear = Regex.matches(year, "[0-9]{4}")
        """,
      why: """
        `{4}` in a text puts the number 4 there, without braces, so the pattern is `[0-9]4`. `$` means nothing in a text: \
        it is shown before the value that the braces put in.
        """,
      WayOut(
        "write a raw text, in which nothing is put",
        """
        input year: Behavior<String> = "2024"
        output isYear = Regex.matches(year, #"[0-9]{4}"#)
        """),
      WayOut(
        "write the braces themselves",
        """
        input year: Behavior<String> = "2024"
        output isYear = Regex.matches(year, "[0-9]\\{4}")
        """)),
  ]
}
