"""`frp build`: one executable of a program, which runs where there is no frp."""

import os
import shutil
import subprocess

import harness
from harness import Skipped, Web, case, equal

SUM = """
import Twice
/// Numbers, a line each.
input n: Event<Int>
/// Twice their sum.
output total = Twice.of(n |> fold(0, (+)))
"""


def call(place, *words, stdin="", **options):
    return subprocess.run(words, cwd=place.path, input=stdin, capture_output=True, text=True, timeout=60, **options)


def built(place, name, *flags):
    """Builds NAME.frp into NAME, and takes its text and what it imports away."""
    done = call(place, harness.FRP, "build", f"{name}.frp", "-o", name, *flags)
    equal((done.returncode, done.stdout), (0, ""), done.stderr)
    for file in os.listdir(place.path):
        if file.endswith(".frp"):
            os.remove(place.file(file))
    return done.stderr


@case
def a_program_becomes_a_file(place):
    """It runs as with `frp run`, with the flags of both command lines; its own help says what it is."""
    place.write("Twice.frp", "of(x) = 2 * x\n")
    place.write("sum.frp", SUM)
    wanted = call(place, harness.FRP, "run", "sum.frp", "--virtual", "--format", "jsonl", stdin="1\n2\n")
    equal(built(place, "sum", "--format", "jsonl"), "")
    done = call(place, "./sum", "--virtual", stdin="1\n2\n")
    equal((done.returncode, done.stdout, done.stderr), (wanted.returncode, wanted.stdout, wanted.stderr))
    equal(done.stdout.count("\n"), 3)
    equal(call(place, "./sum", "--final", "--format", "text", stdin="1\n2\n").stdout, "6\n")
    help = call(place, "./sum", "--help").stdout
    for part in ("./sum: sum.frp, built with frp", "n : Event<Int>  Numbers, a line each.", "total : Int  Twice their sum.",
                 "Built in:\n  --format=jsonl\n", "--virtual"):
        assert part in help, (part, help)
    for words, wanted in ((["more"], "./sum: `frp run` has no use for `more`"), (["--virtul"], "did you mean `--virtual`?")):
        done = call(place, "./sum", *words)
        equal(done.returncode, 2)
        assert wanted in done.stderr and "`./sum --help` tells more" in done.stderr, done.stderr
    # What is given for an input or an output takes the place of what is built in for it.
    place.write("Twice.frp", "of(x) = 2 * x\n")
    place.write("other.frp", SUM)
    place.write("n.csv", "n\n5\n")
    equal(built(place, "other", "--in", "n=jsonl:-", "--out", "total=jsonl:built.jsonl"), "")
    done = call(place, "./other", "--final", "--in", "n=csv:n.csv", "--out=total=lines:-", stdin="1\n")
    equal((done.returncode, done.stdout, done.stderr, os.path.exists(place.file("built.jsonl"))), (0, "10\n", "", False))
    done = call(place, "./other", "--final", stdin="4\n")
    with open(place.file("built.jsonl")) as file:
        equal((done.stdout, file.read()), ("", '{"total":8}\n'), done.stderr)
    # With a journal it goes on where it was, which is its end.
    done = call(place, "./sum", "--journal", "kept", stdin="1\n2\n")
    assert done.returncode == 0 and '"total":6' in done.stdout, done
    done = call(place, "./sum", "--journal", "kept", stdin="")
    assert (done.returncode, done.stdout) == (0, "") and "the run in kept has ended" in done.stderr, done


@case
def what_is_granted_is_built_in(place):
    """Grants and a seed belong to the file; without them it says how it is granted them, by its own name."""
    text = 'output told: Event<String> = (start |> perform(Latest, _ => Files.read("secret"))).results |> filterMap(ok)\n'
    place.write("secret", "well kept")
    place.write("tell.frp", text)
    place.write("tell.grants", "# what it reads\nread=secret\n")
    note = built(place, "tell")
    assert "--allow-read=secret" in note, note
    refused = call(place, "./tell")
    equal(refused.returncode, 2)
    assert "to grant it: ./tell --allow-read=secret" in refused.stderr, refused.stderr
    equal(call(place, "./tell", "--allow-read=secret", "--format=json").stdout, '"well kept"\n')
    place.write("tell.frp", text)
    equal(built(place, "tell", "--grants", "tell.grants", "--format", "json"), "")
    os.remove(place.file("tell.grants"))
    equal(call(place, "./tell").stdout, '"well kept"\n')


@case
def the_network_comes_along(place):
    """The library that carries the network is beside it, and found there."""
    web = Web(lambda method, path, body: (200, "text/plain", "hello"))
    place.write("get.frp", f'output got: Event<String> = (start |> perform(Latest, _ => Http.get("{web.place}/"))).results '
                '|> filterMap(ok)\n')
    note = built(place, "get", f"--allow-net=localhost:{web.port}")
    assert "libfrp-net.so" in note, note
    environment = {key: value for key, value in os.environ.items() if key != "FRP_LIB"}
    done = call(place, "./get", "--format=json", env=environment)
    web.close()
    equal((done.stdout, done.stderr), ('"hello"\n', ""))


@case
def what_is_damaged_does_not_run(place):
    """A file that was changed says so; one without its end is frp itself, which has nothing to run."""
    place.write("Twice.frp", "of(x) = 2 * x\n")
    place.write("sum.frp", SUM)
    built(place, "sum")
    with open(place.file("sum"), "rb") as file:
        whole = file.read()
    for number, bytes in enumerate([whole[:-100] + b"!" + whole[-99:], whole[:-200] + whole[-24:]]):
        place.executable("other", bytes)
        done = call(place, "./other", stdin="1\n")
        equal((done.returncode, done.stdout), (2, ""))
        assert "damaged" in done.stderr, done.stderr


@case
def what_cannot_be_built_is_told(place):
    """Nothing is left behind by a build that fails."""
    place.write("bad.frp", "output x = y\n")
    place.write("good.frp", "output x = 1\n")
    for words, code, wanted in ((["bad.frp", "-o", "out"], 1, "E0"), (["good.frp"], 2, "`-o FILE`"),
                                (["none.frp", "-o", "out"], 2, "No such file"), (["good.frp", "-o", "."], 2, "cannot write"),
                                (["good.frp", "-o", "no/where"], 2, "No such file"), (["good.frp", "-o", "/dev/full/x"], 2, "cannot")):
        done = call(place, harness.FRP, "build", *words)
        equal(done.returncode, code, words)
        assert wanted in done.stderr, (words, done.stderr)
    equal(sorted(os.listdir(place.path)), ["bad.frp", "good.frp"])


@case
def it_needs_the_c_library_alone(place):
    """In a root directory with nothing but the file and the shared libraries that the loader names, it runs."""
    if os.geteuid() != 0:
        raise Skipped("only root may change the root directory")
    place.write("Twice.frp", "of(x) = 2 * x\n")
    place.write("sum.frp", SUM)
    built(place, "sum")
    listed = subprocess.run(["ldd", place.file("sum")], capture_output=True, text=True).stdout
    libraries = [word for line in listed.splitlines() for word in line.split() if word.startswith("/")]
    for library in libraries:
        there = place.file("root" + library)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copy(library, there)
    shutil.copy(place.file("sum"), place.file("root/sum"))
    done = call(place, "chroot", place.file("root"), "/sum", "--final", stdin="1\n2\n")
    equal((done.returncode, done.stdout, done.stderr), (0, "6\n", ""))
    if not any("swift" in library for library in libraries):
        others = [name for name in libraries if not any(part in name for part in ("libc.", "libm.", "ld-linux"))]
        equal(others, [], "a release build needs glibc alone")
