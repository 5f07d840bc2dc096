// Pages of E02xx and W02xx: names, and of E07xx: modules.

extension ExplainPage {
  static let names: [ExplainPage] = [
    ExplainPage(
      .unknownName, "nothing has this name",
      wrong: """
        input speed: Behavior<Float> = 1.0
        output double = sped * 2.0
        """,
      why: """
        Every name is defined somewhere: in the program, in a module, or built in. Order does not matter, but spelling \
        does.
        """,
      WayOut(
        "spell it right",
        """
        input speed: Behavior<Float> = 1.0
        output double = speed * 2.0
        """),
      WayOut(
        "define it",
        """
        input speed: Behavior<Float> = 1.0
        sped = speed + 1.0
        output double = sped * 2.0
        """)),
    ExplainPage(
      .moduleNotImported, "a module is not imported",
      wrong: """
        output area = Geometry.square(3.0)
        """,
      why: """
        `Geometry.square` is looked for in what `import Geometry` reads, the file `Geometry.frp` beside this one. The \
        modules that are built in (`List`, `Math`, `Task` and so on) need no import.
        """,
      WayOut(
        "use what is built in",
        """
        output area = Math.pow(3.0, 2.0)
        """),
      WayOut(
        "define it here",
        """
        square(x) = x * x
        output area = square(3.0)
        """)),
    ExplainPage(
      .duplicateName, "the same name twice",
      wrong: """
        x = 1
        x = 2
        output x
        """,
      why: """
        A definition holds for ever, so a second one could not be told from the first. What changes over time is made \
        from events; cases are told apart by `match`.
        """,
      WayOut(
        "choose two names",
        """
        x = 1
        y = 2
        output sum = x + y
        """),
      WayOut(
        "let events change it",
        """
        input set: Event<Int>
        output x = set |> hold(1)
        """)),
    ExplainPage(
      .nameOutOfScope, "a name is used outside its block",
      wrong: """
        area(w) = {
          half = w / 2.0
          half * half
        }
        output x = area(2.0) + half
        """,
      why: """
        What a block, a lambda, or an arm of a `match` binds exists only there.
        """,
      WayOut(
        "define it outside, with what it needs as a parameter",
        """
        half(w) = w / 2.0
        area(w) = half(w) * half(w)
        output x = area(2.0) + half(2.0)
        """),
      WayOut(
        "give it back with the result",
        """
        area(w) = {
          half = w / 2.0
          {half: half, area: half * half}
        }
        output x = area(2.0).area + area(2.0).half
        """)),
    ExplainPage(
      .unknownType, "there is no such type or constructor",
      wrong: """
        input place: Behavior<Pont> = {x: 1.0}
        output x = 1
        """,
      why: """
        Types and constructors start with a capital letter and are declared by `type` or `alias`, or built in.
        """,
      WayOut(
        "declare it",
        """
        alias Pont = {x: Float}
        input place: Behavior<Pont> = {x: 1.0}
        output x = place.x
        """),
      WayOut(
        "write the type out",
        """
        input place: Behavior<{x: Float}> = {x: 1.0}
        output x = place.x
        """)),
    ExplainPage(
      .circularAlias, "an alias stands for itself",
      wrong: """
        alias Tree = List<Tree>
        output x = 1
        """,
      why: """
        An alias is another name for a type, so it must end somewhere. A type that contains itself is declared by \
        `type`, whose constructors mark where it goes on.
        """,
      WayOut(
        "declare a type",
        """
        type Tree = Leaf | Node(List<Tree>)
        output x = Node([Leaf])
        """),
      WayOut(
        "say how deep it goes",
        """
        alias Rows = List<List<Int>>
        rows: Rows = [[1], [2]]
        output rows
        """)),
    ExplainPage(
      .inputWithoutKind, "an input does not say whether it is an event or a behavior",
      wrong: """
        input celsius: Float
        output fahrenheit = celsius * 1.8 + 32.0
        """,
      why: """
        What comes from outside either always has a value, or happens at moments. Nothing in its use tells which.
        """,
      WayOut(
        "make it a behavior, with a start value",
        """
        input celsius: Behavior<Float> = 20.0
        output fahrenheit = celsius * 1.8 + 32.0
        """),
      WayOut(
        "make it an event",
        """
        input celsius: Event<Float>
        output fahrenheit = celsius |> map(c => c * 1.8 + 32.0)
        """)),
    ExplainPage(
      .reservedPortName, "an input or output has a name that lines of traces need",
      wrong: """
        input at: Event<Int>
        output total = at |> fold(0, (+))
        """,
      why: """
        Occurrences are read and written as JSON objects, a line each: the key `at` is the time, every other key is a \
        port, as in {"at": 1.5, "clicks": 3}. A port of that name could neither be fed nor read back.
        """,
      WayOut(
        "call it something else",
        """
        input place: Event<Int>
        output total = place |> fold(0, (+))
        """),
      WayOut(
        "keep the name for a definition that is no port",
        """
        input place: Event<Int>
        at = place |> map(p => p + 1)
        output total = at |> fold(0, (+))
        """)),
    ExplainPage(
      .unusedDefinition, "a definition is never used",
      wrong: """
        input clicks: Event<Unit>
        total = clicks |> count
        output clicked = clicks |> map(_ => "click")
        """,
      why: """
        Nothing that is shown depends on it, so it is not even computed. Names that start with `_` are meant to be \
        unused.
        """,
      WayOut(
        "show it",
        """
        input clicks: Event<Unit>
        output total = clicks |> count
        output clicked = clicks |> map(_ => "click")
        """),
      WayOut(
        "remove it",
        """
        input clicks: Event<Unit>
        output clicked = clicks |> map(_ => "click")
        """)),
    ExplainPage(
      .hiddenName, "a definition hides a name around it",
      wrong: """
        grow(rate) = {
          rate = 3.0 * 2.0
          rate + 1.0
        }
        output x = grow(1.0)
        """,
      why: """
        A name means the nearest definition in the whole block, also above it and on its own right side. There is no \
        "new value of the old one".
        """,
      WayOut(
        "choose another name",
        """
        grow(rate) = {
          doubled = rate * 2.0
          doubled + 1.0
        }
        output x = grow(1.0)
        """),
      WayOut(
        "leave the block out",
        """
        grow(rate) = rate * 2.0 + 1.0
        output x = grow(1.0)
        """)),
    ExplainPage(
      .circularImport, "modules import each other in a circle",
      isSketch: true,
      wrong: """
        (a.frp)  import B        (B.frp)  import A
        """,
      why: """
        A module means what it means without those that use it. In a circle there is no first one.
        """,
      WayOut(
        "move what both need to a third module",
        """
        output x = 1
        """),
      WayOut(
        "make one module of the two",
        """
        output x = 1
        """)),
    ExplainPage(
      .moduleNotFound, "a module's file is not found",
      wrong: """
        import Geometri
        output x = 1
        """,
      why: """
        `import Geometry` reads `Geometry.frp` in the folder of the importing file.
        """,
      WayOut(
        "put the file there, or spell its name as the file's",
        """
        output x = 1
        """),
      WayOut(
        "define here what is needed of it",
        """
        square(x) = x * x
        output x = square(1)
        """)),
    ExplainPage(
      .unknownMember, "a module has no such name",
      wrong: """
        output x = Math.squareRoot(9.0)
        """,
      why: """
        The name after the dot must be defined at the margin of that module, or be built in there.
        """,
      WayOut(
        "use a name that is there",
        """
        output x = Math.sqrt(9.0)
        """),
      WayOut(
        "define it here",
        """
        squareRoot(x) = sqrt(x)
        output x = squareRoot(9.0)
        """)),
  ]
}
