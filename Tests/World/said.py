"""What is refused, and in which words; limits as they are written down."""

import os
import sqlite3
import subprocess

import websockets.sync.client

import harness
from harness import case, equal, free_port
from serving import opened


@case
def a_socket_takes_what_is_written_down(place):
    port = free_port()
    program = place.program("sizes.frp", """
    input s: Event<Serve.Socket<String>> from Serve.sockets("/s")
    output size = s |> filterMap(e => match e { Said(_, text) => Some(String.size(text)); _ => None })
    output joined = s |> filterMap(e => match e { Joined(id) => Some(id); _ => None })
    output left = s |> filterMap(e => match e { Left(id) => Some(id); _ => None })
    """, f"--allow-listen={port}")
    opened(port).close()
    with websockets.sync.client.connect(f"ws://127.0.0.1:{port}/s", max_size=None) as client:
        client.send("x" * (15 << 20))
        program.until_all_shown("size", 15 << 20)
    client = place.program("client.frp", f"""
    input v: Event<Int>
    input heard: Event<String> from Ws.messages("ws://127.0.0.1:{port}/s")
    output sent = v to n => Ws.send("ws://127.0.0.1:{port}/s", String.repeat("x", n))
    output got = heard
    """, "--in", "v=jsonl:-", f"--allow-net=127.0.0.1:{port}")
    program.until(lambda: program.shown("left") == [1], "the first has left")
    program.until(lambda: program.shown("joined") == [1, 2], "it is open")
    client.say(str(17 << 20))
    client.until(lambda: any("1009" in line for line in client.err), "why it is closed")
    client.stop()
    program.stop()


@case
def old_clients_see_the_end(place):
    port = free_port()
    program = place.program("old.frp", """
    output n = count(every(1s)) to Serve.value("/n")
    """, f"--allow-listen={port}")
    connection = opened(port)
    connection.sendall(b"GET /n HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
    text = b""
    while more := connection.recv(4096):
        text += more
    equal(b"Connection: close" in text, True, text)
    program.stop()


@case
def a_table_may_be_changed_by_others(place):
    with sqlite3.connect(place.file("a.db")) as db:
        db.execute("CREATE TABLE t (x, y)")
    program = place.program("table.frp", """
    input v: Event<Int>
    output many = (v |> perform(Queue, n => Db.exec("a.db", if n == 0 then "INSERT INTO t VALUES (1, 2)" else "INSERT INTO t VALUES (1)", {})))
      .results |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
    """, "--in", "v=jsonl:-", "--allow-read=.", "--allow-write=.")
    program.say("0")
    program.until_all_shown("many", "ok")
    with sqlite3.connect(place.file("a.db")) as db:
        db.execute("ALTER TABLE t DROP COLUMN y")
    program.say("1")
    program.until_all_shown("many", "ok", "ok")
    program.say("0")
    program.until(lambda: len(program.shown("many")) == 3, "what does not fit")
    equal("1 columns but 2 values" in program.shown("many")[2], True)
    equal(program.end(), 0)


@case
def grants_have_no_all(place):
    place.write("a.frp", "output a = 1\n")
    for kind, value, words in [
        ("read", "*", "without `*`"), ("write", "logs/*", "without `*`"), ("env", "*", "without `*`"), ("env", "AWS_*", "without `*`"),
        ("run", "*", "without `*`"), ("net", "*", "without `*`"), ("listen", "0", "1 to 65535"), ("listen", "0.0.0.0:0", "1 to 65535")]:
        for flags in [[f"--allow-{kind}={value}"], ["--grants", place.write("g", f"{kind}={value}\n")]]:
            done = subprocess.run([harness.FRP, "run", "a.frp", *flags], cwd=place.path, capture_output=True, text=True)
            equal((done.returncode, words in done.stderr), (2, True), f"{flags}: {done.stderr}")


@case
def what_cannot_be_read_says_why(place):
    os.symlink("loop", place.file("loop"))
    place.write("deep.json", "[" * 500 + "7" + "]" * 500)
    place.write("bad.json", "{bad")
    program = place.program("why.frp", """
    input text: Event<String>
    shown(r: Result<Int, Error>) = match r { Ok(n) => "ok"; Err(e) => e.message }
    output read = (text |> perform(Queue, x => if startsWith(x, "http") then Http.get(x) else Files.read(x))).results |> map(shown)
    output deep = (text |> filter(x => x == "deep.json") |> perform(Queue, x => deeper(x))).results |> map(r => match r { Ok(n) => "ok"; Err(e) => e.message })
    deeper(x): Task<Json> = Files.read(x)
    """, "--in", "text=lines:-", "--allow-read=.")
    for line in ["loop", "bad.json", "http:///n", "http://?n"]:
        program.say(line)
    program.until(lambda: len(program.shown("read")) == 4, "all")
    loop, bad, host, query = program.shown("read")
    equal(loop, "too many levels of symbolic links: loop")
    equal("no JSON" in bad, True, bad)
    equal(host, "a URL without a host: http:///n")
    equal(query, "a URL without a host: http://?n")
    program.say("deep.json")
    program.until(lambda: program.shown("deep"), "what is deep")
    if len(program.shown("deep")[0]) > 200:
        raise AssertionError(program.shown("deep")[0])
    equal(program.end(), 0)
