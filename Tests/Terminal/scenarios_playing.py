"""Scenarios of the prompt: plots that move, and programs that keys drive."""
from terminal import *

BLOCKS = "▁▂▃▄▅▆▇█"


def scenario_moving_pictures(t):
    t.enter("wave = sin(time)")
    t.enter("n = every(100ms) |> count")
    t.enter(":watch wave n")
    t.wait(lambda: sum(c in BLOCKS for c in t.lines()[1]) >= 3, "a curve beside a number that counts")
    t.wait(lambda: sum(c in BLOCKS for c in t.lines()[0]) >= 3, "and beside one that varies")
    place = lambda row: min(i for i, c in enumerate(t.lines()[row]) if c in BLOCKS)
    t.wait(lambda: "#" in t.lines()[1] and t.lines()[1].index("since") > place(1), "its notes behind it")
    yield "pinned rows have a sparkline"
    t.enter(":plot --live wave, n for 4s")
    t.wait(lambda: t.lines()[0] == "wave" and "┤" in t.lines()[1], "a plot above them")
    dots = lambda: sum(0x2800 < ord(c) <= 0x28FF for line in t.lines() for c in line)
    first = dots()
    t.wait(lambda: dots() > first, "it moves")
    t.enter("1 + 1")
    t.see(": Int = 2")
    t.enter(":plot --live 1 + time")
    t.see("name it:  :plot --live 1 + time as w")
    t.enter(":plot --live off")
    t.wait(lambda: t.lines()[0].startswith("wave ") and dots() == 0, "no plot")
    yield ":plot --live pins a plot that moves"
    t.enter(":back 1h")
    t.wait(lambda: t.lines()[1].split()[:2] == ["n", "0"], "the beginning")
    expect("█" not in t.lines()[0], "nothing of what is to come")
    yield "what was left is not in it"


@session(environment={"LANG": "C"})
def scenario_moving_pictures_in_ascii(t):
    t.enter(":set canvas ascii")
    t.enter("n = every(50ms) |> count")
    t.enter(":watch n")
    t.wait(lambda: "_" in t.lines()[0] and "#" in t.lines()[0], "a curve of ASCII")
    expect(all(ord(c) < 128 for c in t.lines()[0]), t.lines()[0])
    yield "in ASCII they are ASCII"


def scenario_playing(t):
    for entry in ("type Move = Left | Right", "input keys: Event<Move>",
                  "x = keys |> fold(5, (x, m) => match m { Left => x - 1; Right => x + 1 })",
                  'screen = ["top", (" " |> String.repeat(x)) ++ "@"] |> join("\\n")',
                  "input typed: Event<String>", "last = typed |> hold(\"-\")", ":bind left => keys Left",
                  ":bind right => keys Right", ":bind any => typed"):
        t.enter(entry)
    t.enter(":bind lift => keys Left")
    t.see("did you mean left?")
    t.enter(":bind up => keys Over")
    t.see("it is one of  Left | Right")
    t.keys(":play\r")
    t.wait(lambda: t.lines()[:2] == ["top", "     @"] and "Escape ends" in t.lines()[23], "the picture of the program")
    t.keys("\x1b[C\x1b[C")
    t.wait(lambda: t.lines()[1] == "       @", "two steps to the right")
    t.keys("\x1b[D")
    t.wait(lambda: t.lines()[1] == "      @", "one to the left")
    t.keys("q\x1b")
    t.see("played until")
    t.keys("\x0c")
    t.await_prompt()
    t.enter("x")
    t.see("Behavior<Int> = 6")
    t.enter("last")
    t.see('Behavior<String> = "q"')
    yield "keys drive a program that has the screen, Escape ends it"
    t.keys(":play x last\r")
    t.wait(lambda: t.lines()[0].split() == ["x", "6"], "a row for each name")
    t.keys("\x03")
    t.see("played until")
    t.keys("\x0c")
    t.await_prompt()
    t.enter("2 + 2")
    t.see(": Int = 4")
    yield "so does ^C"
    t.keys(":play\r")
    t.see("Escape ends")
    os.kill(t.process, signal.SIGTERM)
    t.leave()
    expect(t.raw.rstrip().endswith(b"\x1b[?2004l") and t.raw.rindex(b"\x1b[?1049l") > t.raw.rindex(b"\x1b[?1049h"), "the screen is given back")
    yield "its end gives the screen back"
