"""What programs keep: databases as sinks, whole or not at all, and files that cannot be written or read."""

import os
import shutil
import signal
import sqlite3
import subprocess

import harness
from harness import Skipped, case, equal


@case
def a_database_is_a_sink(place):
    """Several statements are kept whole or not at all; what a query needs is what its grant says."""
    with sqlite3.connect(place.file("shop.db")) as shop:
        shop.execute("CREATE TABLE sold (name TEXT NOT NULL, many INTEGER CHECK (many > 0))")
    shop.close()
    program = place.program(
        "keep.frp", """
input sold: Event<{name: String, many: Int}>
output kept = sold to s => Db.exec("shop.db", "INSERT INTO sold VALUES (:name, 1); INSERT INTO sold VALUES (:name, :many)", s)
output all: Event<List<{name: String, total: Int}>> = (sold |> delay(300ms) |> perform(Queue, _ => Db.query("shop.db", "SELECT name, sum(many) AS total FROM sold GROUP BY name ORDER BY name", {}))).results |> filterMap(ok)
""", "--in", "sold=jsonl:-", "--allow-write=shop.db", "--allow-read=shop.db")
    program.say('{"name": "tea", "many": 3}')
    program.until_shown("all", [{"name": "tea", "total": 4}])
    program.say('{"name": "air", "many": 0}')
    program.say('{"name": "jam", "many": 2}')
    program.until_shown("all", [{"name": "jam", "total": 3}, {"name": "tea", "total": 4}])
    # A sink has failed, so the exit code says so.
    equal(program.end(), 3)
    equal([line for line in program.err if "sink" in line][0], "frp: the sink of `kept`: shop.db: CHECK constraint failed: many > 0")
    text = 'output all: Event<List<{n: Int}>> = (start |> perform(Latest, _ => Db.query("old.db", "SELECT 7 AS n", {}))).results |> filterMap(ok)\n'
    with sqlite3.connect(place.file("old.db")) as old:
        old.execute("CREATE TABLE t (a)")
    old.close()
    place.write("query.frp", text)
    granted = subprocess.run([harness.FRP, "grants", "query.frp"], cwd=place.path, capture_output=True, text=True)
    equal(granted.stdout, "read=old.db\n")
    place.write("query.grants", granted.stdout)
    reader = place.program("query.frp", text, "--grants", "query.grants")
    reader.until_shown("all", [{"n": 7}])
    equal(reader.wait(), 0)


@case
def a_database_is_closed_at_the_end(place):
    """Its log is part of it: who copies the file has all of it. After a signal, too."""
    text = """
input n: Event<Int>
output kept = n to v => Db.exec("n.db", "CREATE TABLE IF NOT EXISTS t (v INTEGER); INSERT INTO t VALUES (:v)", {v: v})
output done: Event<List<{many: Int}>> = (n |> delay(100ms) |> perform(Queue, _ => Db.query("n.db", "SELECT count(*) AS many FROM t", {}))).results |> filterMap(ok)
"""
    for wanted, end in [(0, lambda program: program.end()), (143, lambda program: program.stop(signal.SIGTERM))]:
        program = place.program("n.frp", text, "--in", "n=jsonl:-", "--allow-write=n.db", "--allow-read=n.db")
        program.say("7")
        program.until(lambda: program.shown("done"), "a row is there")
        equal(end(program), wanted)
        equal(sorted(name for name in os.listdir(place.path) if name.startswith("n.db")), ["n.db"])
    with sqlite3.connect(place.file("n.db")) as file:
        equal(file.execute("SELECT v FROM t").fetchall(), [(7,), (7,)])
    file.close()


@case
def what_cannot_be_written_is_told(place):
    """A device that is full: each append fails with a sentence, and the run goes on."""
    program = place.program(
        "log.frp", """
input line: Event<String>
output kept = line to l => Files.append("/dev/full", l)
output also = line to l => Files.append("log", l ++ "\\n")
""", "--in", "line=lines:-", "--allow-write=/dev/full", "--allow-write=log")
    for line in ["one", "two"]:
        program.say(line)
    equal(program.end(), 3)
    equal([line for line in program.err if "kept" in line], 2 * ["frp: the sink of `kept`: no space left on device: /dev/full"])
    with open(place.file("log")) as file:
        equal(file.read(), "one\ntwo\n")


@case
def what_cannot_be_read_is_told(place):
    """A file of somebody else: its source ends with a sentence, before the start and while it is followed."""
    if os.getuid() == 0 and not shutil.which("setpriv"):
        raise Skipped("there is no setpriv")
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    os.chmod(place.path, 0o755)
    os.chmod(place.write("secret.log", "a\n"), 0)
    program = place.program(
        "tail.frp", """
input line: Event<String> from Files.tail("secret.log")
input whole: Event<String> from Files.lines("secret.log")
output seen = merge(line, whole)
""", "--allow-read=secret.log", "--for", "2s", prefix=prefix)
    if program.wait() == 127:
        raise Skipped("this program is not readable by others")
    equal(program.shown("seen"), [])
    told = "\n".join(program.err)
    for name in ["line", "whole"]:
        if f"the source of `{name}` has ended: permission denied: secret.log" not in told:
            raise harness.Failure(told)
