// Pages of E03xx: types.

extension ExplainPage {
  static let types: [ExplainPage] = [
    ExplainPage(
      .typeMismatch, "a value of another type is needed",
      wrong: """
        output n = size(3) + 1
        """,
      why: """
        Every function says what it needs; types are inferred, never converted. The message names the function, the \
        parameter, and what was given. A `Source<T>`, what brings values from outside, is no event yet: `input x: Event<T> \
        from SOURCE` opens it for the whole run, `e |> listen(Latest, x => SOURCE)` at each occurrence.
        """,
      WayOut(
        "give what is needed",
        """
        output n = size([3]) + 1
        """),
      WayOut(
        "choose the function for what there is",
        """
        output n = abs(3) + 1
        """)),
    ExplainPage(
      .missingArguments, "arguments are missing",
      wrong: """
        f(a, b) = a + b
        output x = f(1)
        """,
      why: """
        A call gives all arguments at once. To leave one open, say so by a lambda.
        """,
      WayOut(
        "give all arguments",
        """
        f(a, b) = a + b
        output x = f(1, 2)
        """),
      WayOut(
        "make a function that waits for the other",
        """
        f(a, b) = a + b
        addOne = b => f(1, b)
        output x = addOne(2)
        """)),
    ExplainPage(
      .surplusArguments, "too many arguments",
      wrong: """
        output x = sqrt(1.0, 2.0)
        """,
      why: """
        A function takes as many arguments as it has parameters. `x |> f(a)` counts x as the first.
        """,
      WayOut(
        "leave the others out",
        """
        output x = sqrt(1.0)
        """),
      WayOut(
        "compute one value first",
        """
        output x = sqrt(1.0 + 2.0)
        """)),
    ExplainPage(
      .branchMismatch, "the branches disagree",
      wrong: """
        input on: Behavior<Bool> = true
        output x = match on {
          true => 1
          false => "off"
        }
        """,
      why: """
        Whatever the choice, an `if` or a `match` is one value of one type.
        """,
      WayOut(
        "make both the same type",
        """
        input on: Behavior<Bool> = true
        output x = match on {
          true => "1"
          false => "off"
        }
        """),
      WayOut(
        "say what is missing by an Option",
        """
        input on: Behavior<Bool> = true
        output x = match on {
          true => Some(1)
          false => None
        }
        """)),
    ExplainPage(
      .elementMismatch, "the elements of a list differ",
      wrong: """
        output list = [1, 2, "three"]
        """,
      why: """
        All elements of a list have one type, so that a function over the list fits them all.
        """,
      WayOut(
        "make them the same",
        """
        output list = ["1", "2", "three"]
        """),
      WayOut(
        "declare a type of what may be there",
        """
        type Item = Number(Int) | Word(String)
        output list = [Number(1), Number(2), Word("three")]
        """)),
    ExplainPage(
      .annotationMismatch, "a definition contradicts its annotation",
      wrong: """
        total: Int = "3"
        output total
        """,
      why: """
        An annotation is believed: it says what is meant, so the value must be wrong.
        """,
      WayOut(
        "change the value",
        """
        total: Int = 3
        output total
        """),
      WayOut(
        "change the annotation, or leave it out",
        """
        total: String = "3"
        output total
        """)),
    ExplainPage(
      .infiniteType, "a type would contain itself",
      wrong: """
        f(x) = f
        output y = 1
        """,
      why: """
        `f` gives itself, so its type would have to be longer than itself. Most often an argument is missing, or a \
        list is put into itself.
        """,
      WayOut(
        "give the missing argument",
        """
        f(x) = if x <= 0 then 0 else f(x - 1)
        output y = f(3)
        """),
      WayOut(
        "give a value",
        """
        f(x) = x
        output y = f(1)
        """)),
    ExplainPage(
      .ambiguousType, "the type cannot be told",
      isSketch: true,
      wrong: """
        f(x) = size(x)
        output n = f
        """,
      why: """
        Where nothing says which type is meant, a built-in that exists for several types cannot be chosen.
        """,
      WayOut(
        "use it at a type",
        """
        f(x) = size(x)
        output n = f([1])
        """),
      WayOut(
        "annotate",
        """
        f(x: List<Int>) = size(x)
        output n = f([1])
        """)),
    ExplainPage(
      .unreadAnswer, "nothing says what an answer contains",
      isSketch: true,
      wrong: """
        input go: Event<Unit>
        page = go |> perform(All, _ => Http.get("http://127.0.0.1:8080/price"))
        output price = page.results
        """,
      why: """
        What comes from outside becomes the type that the program uses: a text as it stands, everything else from JSON. Where \
        the program uses none, nobody looks at it, and `()` is all that can be shown.
        """,
      WayOut(
        "say what it contains where it is shown",
        """
        input go: Event<Unit>
        page = go |> perform(All, _ => Task.succeed("12.50"))
        output price: Event<Result<String, Error>> = page.results
        """),
      WayOut(
        "or show only that there was one",
        """
        input go: Event<Unit>
        page = go |> perform(All, _ => Task.succeed("12.50"))
        output answers = page.results |> count
        """)),
    ExplainPage(
      .mixedNumbers, "Int and Float are mixed",
      wrong: """
        input n: Behavior<Int> = 1
        output x = n * 0.5
        """,
      why: """
        Numbers are not converted by themselves: an Int is exact, a Float is not, and where one becomes the other \
        should be seen. Literals such as `2` fit both.
        """,
      WayOut(
        "convert the Int",
        """
        input n: Behavior<Int> = 1
        output x = toFloat(n) * 0.5
        """),
      WayOut(
        "convert the result back",
        """
        input n: Behavior<Int> = 1
        output x = round(toFloat(n) * 0.5)
        """)),
    ExplainPage(
      .addedTexts, "texts are added",
      wrong: """
        input n: Behavior<Int> = 1
        output x = "n is " + "one"
        """,
      why: """
        `+` adds numbers. Texts and lists are joined by `++`; values are put into a text by braces.
        """,
      WayOut(
        "join",
        """
        input n: Behavior<Int> = 1
        output x = "n is " ++ "one"
        """),
      WayOut(
        "put the value into the text",
        """
        input n: Behavior<Int> = 1
        output x = "n is {n}"
        """)),
    ExplainPage(
      .notComparable, "functions or events are compared or shown",
      wrong: """
        f(x) = x
        output same = f == f
        """,
      why: """
        `==` and texts are for data. Whether two functions are the same cannot be computed; events have no value at a \
        moment.
        """,
      WayOut(
        "compare what they give",
        """
        f(x) = x
        output same = f(1) == f(1)
        """),
      WayOut(
        "compare behaviors",
        """
        input a: Behavior<Int> = 1
        output same = a == 1
        """)),
    ExplainPage(
      .notPortable, "an output or input holds what cannot cross the border",
      wrong: """
        output f = x => x + 1
        """,
      why: """
        Outputs and inputs are data or text: numbers, texts, lists, records, variants. A function, an event, or a task \
        has no form outside of the program.
        """,
      WayOut(
        "show what the function gives",
        """
        f(x) = x + 1
        output y = f(1)
        """),
      WayOut(
        "show a table of it",
        """
        f(x) = x + 1
        output table = 1..3 |> map(f)
        """)),
    ExplainPage(
      .largeType, "a type grows too big",
      isSketch: true,
      wrong: """
        (pairs of pairs of pairs, thirty levels deep)
        """,
      why: """
        The type of a value that contains itself twice, thirty times over, has a thousand million parts.
        """,
      WayOut(
        "declare a type",
        """
        type Tree = Leaf | Pair(Tree, Tree)
        output x = Pair(Leaf, Leaf)
        """),
      WayOut(
        "use a list",
        """
        output x = [1, 2, 3, 4]
        """)),
    ExplainPage(
      .deepExpression, "something is nested too deeply to check",
      isSketch: true,
      wrong: """
        (a list of lists of lists, thousands deep)
        """,
      why: """
        The checker's own depth is limited, so that no program can crash it.
        """,
      WayOut(
        "give parts of it names",
        """
        inner = [1]
        output x = [inner]
        """),
      WayOut(
        "declare a type that says where it goes on",
        """
        type Nest = End | In(Nest)
        output x = In(In(End))
        """)),
  ]
}
