// Pages of E05xx and W05xx: data and patterns.

extension ExplainPage {
  static let data: [ExplainPage] = [
    ExplainPage(
      .unknownField, "there is no such field",
      wrong: """
        alias Player = {name: String, score: Int}
        input player: Behavior<Player> = {name: "ann", score: 1}
        output s = player.scor
        """,
      why: """
        A record has the fields of its type, no others. The message lists them and the one that is most likely meant.
        """,
      WayOut(
        "spell it right",
        """
        alias Player = {name: String, score: Int}
        input player: Behavior<Player> = {name: "ann", score: 1}
        output s = player.score
        """),
      WayOut(
        "add the field to the type",
        """
        alias Player = {name: String, score: Int, scor: Int}
        input player: Behavior<Player> = {name: "ann", score: 1, scor: 2}
        output s = player.scor
        """)),
    ExplainPage(
      .wrongFields, "a record has a field too few or too many",
      wrong: """
        alias Point = {x: Float, y: Float}
        here: Point = {x: 1.0}
        output here
        """,
      why: """
        A record fits a type if it has exactly its fields.
        """,
      WayOut(
        "add what is missing",
        """
        alias Point = {x: Float, y: Float}
        here: Point = {x: 1.0, y: 0.0}
        output here
        """),
      WayOut(
        "take another type",
        """
        here: {x: Float} = {x: 1.0}
        output here
        """)),
    ExplainPage(
      .fieldMismatch, "a field has another type",
      wrong: """
        alias Point = {x: Float, y: Float}
        here: Point = {x: 1.0, y: "two"}
        output here
        """,
      why: """
        The field's type is part of the record's type.
        """,
      WayOut(
        "give the field what it needs",
        """
        alias Point = {x: Float, y: Float}
        here: Point = {x: 1.0, y: 2.0}
        output here
        """),
      WayOut(
        "change the type",
        """
        alias Point = {x: Float, y: String}
        here: Point = {x: 1.0, y: "two"}
        output here
        """)),
    ExplainPage(
      .incompleteMatch, "a `match` does not cover everything",
      wrong: """
        type Shape = Circle(Float) | Square(Float)
        input shape: Behavior<Shape> = Circle(1.0)
        output area = match shape {
          Circle(r) => 3.14 * r * r
        }
        """,
      why: """
        What is not covered would be a fault one day. The message shows the missing patterns, ready to be pasted.
        """,
      WayOut(
        "cover the rest",
        """
        type Shape = Circle(Float) | Square(Float)
        input shape: Behavior<Shape> = Circle(1.0)
        output area = match shape {
          Circle(r) => 3.14 * r * r
          Square(a) => a * a
        }
        """),
      WayOut(
        "say what holds for all others",
        """
        type Shape = Circle(Float) | Square(Float)
        input shape: Behavior<Shape> = Circle(1.0)
        output area = match shape {
          Circle(r) => 3.14 * r * r
          _ => 0.0
        }
        """)),
    ExplainPage(
      .faultyLiteral, "a literal makes what takes it fail, always",
      wrong: """
        input line: Event<String>
        output numbered = line |> filter(l => Regex.contains(l, "(\\\\d+"))
        """,
      why: """
        The pattern of a regular expression, a line of crontab (`Clock.cron`), the name of a signal, how often \
        `every` ticks: where they stand in the program, they are read before it runs. What is computed is told when \
        it is used, as a fault or an `Err`.
        """,
      WayOut(
        "write what is meant",
        """
        input line: Event<String>
        output numbered = line |> filter(l => Regex.contains(l, "(\\\\d+)"))
        """),
      WayOut(
        "look for the text itself",
        """
        input line: Event<String>
        output numbered = line |> filter(l => String.contains(l, "("))
        """)),
    ExplainPage(
      .unreachableArm, "an arm is never reached",
      wrong: """
        input n: Behavior<Int> = 1
        output word = match n {
          0 => "none"
          _ => "some"
          1 => "one"
        }
        """,
      why: """
        The arms are tried from the top, and an earlier one catches everything that this one could.
        """,
      WayOut(
        "put it before",
        """
        input n: Behavior<Int> = 1
        output word = match n {
          0 => "none"
          1 => "one"
          _ => "some"
        }
        """),
      WayOut(
        "remove it",
        """
        input n: Behavior<Int> = 1
        output word = match n {
          0 => "none"
          _ => "some"
        }
        """)),
    ExplainPage(
      .wrongPattern, "a pattern does not fit its constructor",
      wrong: """
        type Shape = Circle(Float) | Rect(Float, Float)
        area(s) = match s {
          Circle(r) => r
          Rect(w) => w
        }
        output a = area(Circle(1.0))
        """,
      why: """
        A pattern has as many parts as the constructor has values, so that none is forgotten by mistake.
        """,
      WayOut(
        "name all parts",
        """
        type Shape = Circle(Float) | Rect(Float, Float)
        area(s) = match s {
          Circle(r) => r
          Rect(w, h) => w * h
        }
        output a = area(Circle(1.0))
        """),
      WayOut(
        "say that a part does not matter",
        """
        type Shape = Circle(Float) | Rect(Float, Float)
        area(s) = match s {
          Circle(r) => r
          Rect(w, _) => w
        }
        output a = area(Circle(1.0))
        """)),
    ExplainPage(
      .refutablePattern, "a pattern of a definition may fail",
      wrong: """
        input list: Behavior<List<Int>> = [1]
        [first, ...rest] = list
        output first
        """,
      why: """
        A definition has one case, so its pattern must fit every value: names, tuples, and records do.
        """,
      WayOut(
        "match, and cover the rest",
        """
        input list: Behavior<List<Int>> = [1]
        output first = match list {
          [x, ...] => x
          [] => 0
        }
        """),
      WayOut(
        "ask for an Option",
        """
        input list: Behavior<List<Int>> = [1]
        output first = withDefault(head(list), 0)
        """)),
    ExplainPage(
      .unequalAlternatives, "alternatives bind different names",
      wrong: """
        type Shape = Circle(Float) | Square(Float)
        size(s) = match s {
          Circle(r) | Square(a) => r
        }
        output x = size(Circle(1.0))
        """,
      why: """
        Whichever alternative fits, the arm uses the same names, so all of them must bind them.
        """,
      WayOut(
        "bind the same name in both",
        """
        type Shape = Circle(Float) | Square(Float)
        size(s) = match s {
          Circle(r) | Square(r) => r
        }
        output x = size(Circle(1.0))
        """),
      WayOut(
        "write two arms",
        """
        type Shape = Circle(Float) | Square(Float)
        size(s) = match s {
          Circle(r) => r
          Square(a) => a
        }
        output x = size(Circle(1.0))
        """)),
    ExplainPage(
      .complexMatch, "a `match` is too complex to check",
      isSketch: true,
      wrong: """
        (a match of dozens of columns with dozens of variants each)
        """,
      why: """
        Whether every case is covered takes time that grows with the combinations. The limit is beyond what people \
        write.
        """,
      WayOut(
        "match in two steps",
        """
        input n: Behavior<(Int, Int)> = (1, 2)
        output x = match n {
          (0, _) => "none"
          (_, b) => match b {
            0 => "none"
            _ => "some"
          }
        }
        """),
      WayOut(
        "end with an arm for all others",
        """
        input n: Behavior<Int> = 1
        output x = match n {
          0 => "none"
          _ => "some"
        }
        """)),
  ]
}
