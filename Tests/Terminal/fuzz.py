"""Random keys, sizes and signals at the prompt, which must go on whatever comes.

    Tests/Terminal/fuzz [PATH-OF-FRP [SEED [COUNT]]]     sessions of COUNT seeds; what fails is made short
    Tests/Terminal/fuzz PATH-OF-FRP SEED show            what a seed does

After every session ^C and `2 + 3` must be answered, what is on the screen must be what ^L draws, and the terminal must be
given back as it was. The same seed does the same, but for the moments at which things happen.
"""
import os, signal, sys, termios, time
from random import Random

from terminal import PATIENCE, Failure, Terminal, pasted, tempfile, shutil

WIDE = ["語", "日本", "😀", "é", "e\u0301", "\u200b", "ｱ", "\u00a0", "\t", "\u0301", "\U000e0001", "ß", "\u202e",
        "👩\u200d🚀"]
WORDS = ["1", "+ ", "x", "n", "tick", "time", "count", "|> ", "map(", "(", ")", "[", "]", "{", "}", '"', " ", "=",
         "f(", "if ", "then ", "else ", "fold(0, ", ":", ":wat", ":pl", "a" * 30, "0.5", "\\", "'", "// ", "take",
         "it"]
ENTRIES = ["2 * 21", "k = every(5ms) |> count", "k", "tick = every(5ms)", "tick", "n = tick |> count", "n + 1",
           "time", "sin(time)", "every(20ms) |> count", "input x: Event<Int>", "input b: Behavior<Float> = 1.0",
           "pos = integral(b)", "x |> count", "f(n) = if n == 0 then 0 else f(n - 1) + 1", "f(300)",
           "sum(1..30 |> map(_ => f(3000)))", "p = {a: 1, b: time}", "p.a", '"日本語" ++ "é"', "1 +", "nope",
           "y = y + 1", "[1, 2", "type T = A | B(Int)", "every(1s) |> map(_ => 1 / 0)", "1 / 0",
           "slow = every(50ms) |> map(_ => sum(1..20 |> map(_ => f(2000))))", "string = \"a\\n\\tb\"", "help",
           "1..200", "z(", "?", "g(n) = if n == 0 then 0 else f(1000) + g(n - 1)", "g(3000)",
           "b0 = 2.5 * time", "12", "1..5000 |> map(i => {a: i, b: -i})", "?map", "? k", "it1 + it2"]
NAMES = ["k", "n", "tick", "x", "b", "pos", "p", "time", "f", "nope", "it", "", "sin(time) as w", "k n tick", "T"]
FILES = ["a.frp", "b.frp", "nope/x.frp", ".", "", "語.frp", "/dev/null"]
TIMES = ["1s", "5ms", "0", "-1s", "1e9s", "next", "nan", "", "200ms", "1h"]
COMMANDS = ["watch N", "unwatch N", "unwatch", "log N", "plot N for 1s", "plot N last 2s",
            "plot time, tick for 1s to a.svg", "marble N for 1s", "marble N last 1s",
            "sample N every 100ms for 300ms", "sample N every 1s last 3s", "undo", "redo", "back D", "step D",
            "to D", "goto m", "mark m", "reset", "load F", "save F", "save test F", "reload", "snapshot s.state",
            "restore s.state", "record r.jsonl", "record off", "replay r.jsonl", "set live off", "set live on",
            "set rate 60", "set rate 1", "set rate 0", "set canvas block", "set b D", "set", "why N", "whynot N",
            "lift N + 1", "top", "table", "list", "info N", "type N", "time N", "push x 3", "push x 1 x5 every 10ms",
            "push N", "pause", "resume", "speed 10", "speed 1", "speed 0.001", "clock virtual", "clock real",
            "at tick q = 1", "force", "forget N", "rename N m2", "graph", "graph N", "tour", "tour next", "tour 9",
            "tour stop", "clear", "help", "help all", "doc map", "explain E0401", "edit N", "feed x from a.frp",
            "source N", "nope", "", "browse", "browse List", "history", "history k", "history -1", "!true", "!sleep 0.1; exit 3",
            "cd .", "cd nope", "mem", "plot --live N, tick for 2s", "plot --live time as w", "plot --live off",
            "bind left => x 3", "bind a => N", "bind a off", "play", "play N", "branch m", "branch"]
ESCAPES = ["[A", "[B", "[C", "[D", "[H", "[F", "OA", "OB", "OC", "OD", "[3~", "[1~", "[4~", "[1;5C", "[1;5D", "b",
           "f", "d", "u", "c", "l", "<", ">", "", "[", "O", "[200~", "[201~", "[Z", "[15~", "[99;99R", "\r", "\x7f",
           "p", "n", "w", "x", "y", "9", "5", "-", "[1;3A", "[1;3B", "[1;3A"]
VI = "hjklwbedxcyDpPuU.~%fFtT;,/?nNrRiIaAsSG0$^|@#&_+-CXYEBWv123"
SIGNALS = ["WINCH", "WINCH", "INT", "TSTP", "CONT", "ALRM"]


# What a session does: a list of (kind, argument).

def command(random):
    text = random.choice(COMMANDS)
    for mark, choices in (("N", NAMES), ("F", FILES), ("D", TIMES)):
        text = text.replace(mark, random.choice(choices))
    return ":" + text


def word(random):
    kind = random.random()
    if kind < 0.2:
        return random.choice(WIDE)
    if kind < 0.25:
        return random.choice(WORDS) * random.choice([1, 5, 40, 200])
    if kind < 0.28:
        return random.choice(WIDE) * random.choice([5, 40, 200])
    return random.choice(WORDS)


def control(random):
    # ^D ends a session where the entry is empty, ^\ where something runs, and ^S stops the terminal.
    key = chr(random.choice([n for n in range(0, 32) if n not in (4, 17, 19, 28)] + [127]))
    return random.choice([key, key, "x\x04", "\x13\x11"])


def action(random, vi):
    kind = random.random()
    if kind < 0.16:
        return "keys", "".join(word(random) for _ in range(random.randint(1, 6)))
    if kind < 0.30:
        return "keys", random.choice(ENTRIES) + random.choice(["\r", "\r", "\r", "\n", "\x1b\r", ""])
    if kind < 0.46:
        return "keys", command(random) + random.choice(["\r", "\r", "\r", "\t", "\t\t", ""])
    if kind < 0.53:
        return "keys", "".join(control(random) for _ in range(random.randint(1, 3)))
    if kind < 0.62:
        return "keys", "\x1b" + random.choice(ESCAPES) * random.choice([1, 1, 2, 5])
    if kind < 0.65:
        return "bytes", [random.randint(128, 255) for _ in range(random.randint(1, 4))]
    if kind < 0.69:
        lines = ENTRIES + WIDE + ["", "x\x1b[2Jy", "\x07\x08"]
        text = "\n".join(random.choice(lines) for _ in range(random.choice([1, 2, 5, 60])))
        return "keys", pasted(text) if random.random() < 0.7 else "\x1b[200~" + text
    if kind < 0.73:
        end = random.choice(["\x1b", "\x07", "\r", "\x03", "", "\x12", "\x12\x12\x1b", "\x7f\x7f\x7f", "\x13\x11",
                             "\x0c", "\x17"])
        words = ["1", "k", "tick", "zz", "語", "(", "[", ".*"]
        return "keys", random.choice("\x12\x13") + "\x11" + random.choice(words) + end
    if kind < 0.75:
        return "keys", "\x18\x05"
    if kind < 0.78:
        return "keys", random.choice(["\x1b[A", "\x1b[B", "\x10", "\x0e"]) * random.randint(1, 12)
    if kind < 0.80:
        count = "\x1b" + random.choice(["9", "99", "99", "3"])
        return "keys", count + random.choice(["x", "語", "\x7f", "\x02", "\x1bd", "\x04", "\x15", "\x14"])
    if vi and kind < 0.9:
        return "keys", "\x1b" + "".join(random.choice(VI) for _ in range(random.randint(1, 6)))
    if kind < 0.86:
        any_size = random.randint(1, 250), random.randint(1, 80)
        small = random.randint(5, 40), random.randint(3, 12)
        return "resize", random.choice([(80, 24), (1, 1), (2, 2), (250, 80), any_size, small])
    if kind < 0.91:
        return "signal", random.choice(SIGNALS)
    if kind < 0.94:
        return "look", None
    if kind < 0.97:
        return "keys", "\x03"
    return "wait", random.choice([0.01, 0.05, 0.3])


def plan(seed):
    random = Random(seed)
    vi = random.random() < 0.3
    writes = "sh -c 'printf \"\\ta\\n\\nb \\033[1m\" >> \"$0\"'"
    environment = {"EDITOR": random.choice(["true", "cat", "sed -i s/1/語/", writes, "false"])}
    if random.random() < 0.2:
        environment["TERM"] = random.choice(["vt100", "dumb", "linux", "screen", "ansi", "nonsense"])
    if random.random() < 0.1:
        environment["NO_COLOR"] = "1"
    if random.random() < 0.1:
        environment["LANG"] = "C"
    size = random.choice([(80, 24), (80, 24), (40, 10), (200, 60), (20, 6)])
    actions = [action(random, vi) for _ in range(random.choice([10, 30, 60]))]
    actions.append(("look", None))
    end = random.choice(["quit", "TERM", "^D", "HUP"])
    return {"seed": seed, "vi": vi, "environment": environment, "size": size, "end": end, "actions": actions}


class Job(Terminal):
    """The program as a job of a small shell, which lets it go on whenever it has stopped."""

    def __init__(self, program, **options):
        self.report, self.told = os.pipe()
        super().__init__(program, await_prompt=False, **options)
        os.close(self.told)
        self.process = int(os.read(self.report, 20))

    def become(self, execute):
        for number in (signal.SIGTTOU, signal.SIGTTIN, signal.SIGTSTP, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        outer = termios.tcgetattr(0)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            os.close(self.report)
            os.close(self.told)
            for number in (signal.SIGTTOU, signal.SIGTTIN, signal.SIGTSTP, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            execute()
        os.write(self.told, b"%d" % job)
        while True:
            _, status = os.waitpid(job, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                os.write(1, b"")
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)
            os.tcsetpgrp(0, os.getpid())
            termios.tcsetattr(0, termios.TCSANOW, outer)
            time.sleep(0.03)
            os.tcsetpgrp(0, job)
            os.kill(job, signal.SIGCONT)

    def close(self):
        os.close(self.report)
        if self.status is None:
            for process in (self.process, self.leader):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        super().close()

    def has_ended(self):
        if self.status is None:
            done, status = os.waitpid(self.leader, os.WNOHANG)
            if done:
                self.status = status
        return self.status is not None

    def entry(self):
        """The rows of what is being typed, and the cursor's place in them."""
        lines, cursor = self.lines(), self.screen.cursor
        first = min(cursor.y, len(lines) - 1)
        while first >= 0 and not lines[first].startswith("frp>"):
            first -= 1
        if first < 0:
            return None
        rows = lines[first:]
        while rows and not rows[-1]:
            rows.pop()
        return rows, cursor.y - first, cursor.x

    def settled(self, quiet=0.25):
        """The entry once it has stood still for a while."""
        seen, since, end = self.entry(), time.monotonic(), time.monotonic() + 3
        while time.monotonic() < end and time.monotonic() - since < quiet:
            self.pump(0.02)
            now = self.entry()
            if now != seen:
                seen, since = now, time.monotonic()
        return seen


def look(t):
    """What ^L draws must be what was there."""
    before = t.settled()
    t.keys("\x0c")
    t.pump(0.1)
    after = t.settled()
    end = time.monotonic() + 2
    while after != before and time.monotonic() < end:
        t.pump(0.05)
        after = t.entry()
    if before is None or after is None or before == after:
        return
    rows = t.screen.lines
    if max(len(before[0]), len(after[0]), before[1], after[1]) >= rows - 4 or t.screen.columns < 10:
        return
    shown = "\n".join(before[0] + after[0])
    # pyte breaks the row before a mark that joins the character at its end.
    if "◌" in shown and max(len(before[0]), len(after[0])) > 1:
        return
    if any(word in shown for word in ("bck", "fwd", "^L", "bck?", "fwd?")) or before[0][0] == "frp>":
        return
    raise Failure(f"screen: ^L draws {after}, but {before} was there")


def leave(t, how, outer):
    if how in ("TERM", "HUP"):
        os.kill(t.process, getattr(signal, "SIG" + how))
    else:
        t.keys(":quit\r" if how == "quit" else "\x04")
    end = time.monotonic() + PATIENCE
    while not t.has_ended():
        t.pump(0.02)
        if time.monotonic() > end:
            raise Failure(f"hung: {how} does not end it")
    t.pump(0.02)
    code = os.waitstatus_to_exitcode(t.status)
    if code != (0 if how in ("quit", "^D") else 128 + getattr(signal, "SIG" + how)):
        raise Failure(f"died: exit {code} after {how}")
    check_modes(t, outer)


def fresh_modes():
    """Those of a terminal that nobody has used."""
    ends = os.openpty()
    modes = termios.tcgetattr(ends[1])
    for end in ends:
        os.close(end)
    return modes


def check_modes(t, outer):
    now = termios.tcgetattr(t.descriptor)
    if now != outer:
        raise Failure(f"modes: {[(i, a, b) for i, (a, b) in enumerate(zip(outer, now)) if a != b]}")
    margins = t.screen.margins
    if margins is not None and (margins.top, margins.bottom) != (0, t.screen.lines - 1):
        raise Failure(f"modes: rows {margins} scroll")
    if 2004 << 5 in t.screen.mode:
        raise Failure("modes: bracketed paste is on")
    if t.screen.cursor.hidden:
        raise Failure("modes: the cursor is hidden")


def recover(t):
    """^C leads to an empty entry, and `2 + 3` is answered."""
    t.keys("\x11")
    t.set_size(80, 24)
    for _ in range(8):
        t.keys("\x03")
        end = time.monotonic() + PATIENCE / 8
        while time.monotonic() < end:
            t.pump(0.02)
            if t.has_ended():
                raise Failure(f"died: exit {os.waitstatus_to_exitcode(t.status)}")
            if t.cursor_line() == "frp>" and t.screen.cursor.x == 5:
                break
        else:
            continue
        break
    else:
        raise Failure(f"hung: no prompt after ^C\n{t.text()}")
    mark = len(t.raw)
    t.keys("\x032 + 3\r")
    end = time.monotonic() + PATIENCE
    stops = time.monotonic() + 2
    while b": Int = 5" not in t.raw[mark:]:
        t.pump(0.02)
        if time.monotonic() > stops:
            # A program that cannot keep up is stopped first.
            stops = end
            t.keys("\x03")
        if t.has_ended():
            raise Failure(f"died: exit {os.waitstatus_to_exitcode(t.status)}")
        if time.monotonic() > end:
            raise Failure(f"hung: 2 + 3 is not answered\n{t.text()}")


def play(program, plan, looks="FRP_NO_LOOK" not in os.environ):
    """One session; what is wrong with it, or nothing. A slow program draws too late to look at."""
    home = tempfile.mkdtemp(prefix="frp-fuzz-")
    open(os.path.join(home, "a.frp"), "w").write("n1 = 1\nt1 = every(5ms)\n1\n2\n")
    open(os.path.join(home, "b.frp"), "w").write("input u: Event<Int>\nv = u |> count\nq = time * 2.0\n")
    environment = dict(plan["environment"])
    if plan["vi"]:
        open(os.path.join(home, "editrc"), "w").write("bind -v\n")
        environment["EDITRC"] = os.path.join(home, "editrc")
    t = Job(program, columns=plan["size"][0], rows=plan["size"][1], environment=environment, home=home)
    try:
        outer = fresh_modes()
        end = time.monotonic() + PATIENCE
        while b"frp>" not in t.raw:
            t.pump(0.02)
            if time.monotonic() > end:
                raise Failure("hung: no first prompt")
        for kind, argument in plan["actions"]:
            if kind == "keys":
                t.keys(argument)
            elif kind == "bytes":
                t.keys(bytes(argument))
            elif kind == "resize":
                t.set_size(*argument)
            elif kind == "signal":
                os.kill(t.process, getattr(signal, "SIG" + argument))
                # What is typed while it stands still is shown by the terminal.
                t.pump(0.1 if argument == "TSTP" else 0)
            elif kind == "look" and looks:
                look(t)
            elif kind == "wait":
                t.pump(argument)
            t.pump(0.005)
            if t.has_ended():
                code = os.waitstatus_to_exitcode(t.status)
                if code == 0:
                    return check_modes(t, outer)
                raise Failure(f"died: exit {code}")
        recover(t)
        leave(t, plan["end"], outer)
    except OSError as error:
        # What is written to belongs to nobody any more.
        end = time.monotonic() + PATIENCE
        while not t.has_ended() and time.monotonic() < end:
            t.pump(0.02)
        if t.status != 0:
            return f"died: {error}, {t.status} {t.raw[-600:]}"
    except Failure as failure:
        return f"{failure} {t.raw[-300:] if 'died' in str(failure) else ''}"
    except Exception as error:
        return f"emulator: {type(error).__name__} {error}"
    finally:
        t.close()
        shutil.rmtree(home, ignore_errors=True)
    return None


def shrink(program, plan, words):
    """The same failure with as few actions as can be found."""
    kind = words.split(":")[0]
    def fails(actions):
        for _ in range(2):
            tried = dict(plan, actions=actions)
            found = play(program, tried)
            if found and found.split(":")[0] == kind:
                return found
        return None
    actions, size = plan["actions"], max(1, len(plan["actions"]) // 2)
    started = time.monotonic()
    while time.monotonic() - started < 240:
        at = 0
        shorter = False
        while at < len(actions):
            rest = actions[:at] + actions[at + size:]
            found = fails(rest)
            if found:
                actions, words, shorter = rest, found, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = max(1, size // 2)
    return dict(plan, actions=actions), words


def show(plan):
    for name in ("seed", "vi", "environment", "size", "end"):
        print(f"  {name}: {plan[name]}")
    for kind, argument in plan["actions"]:
        print(f"    ({kind!r}, {argument!r}),")


def main(program, first, count):
    failed = 0
    for seed in range(first, first + count):
        chosen = plan(seed)
        words = play(program, chosen)
        print(f"seed {seed}: {words or 'ok'}", flush=True)
        if words:
            failed += 1
            if not os.environ.get("FRP_NO_SHRINK"):
                small, words = shrink(program, chosen, words)
                print(f"  made short: {words}")
                show(small)
                sys.stdout.flush()
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = sys.argv[1:] + [None] * 3
    program = os.path.abspath(arguments[0] or ".build/debug/frp")
    if arguments[2] == "show":
        show(plan(int(arguments[1])))
    else:
        sys.exit(main(program, int(arguments[1] or 0), int(arguments[2] or 100)))
