"""What is sent and what is read, to the byte: heads of requests, where they lead, and texts that are none."""

import json
import os
import sqlite3

from harness import Raw, case, equal

SEND = """
input asked: Event<{url: String, headers: Map<String, String>, body: String, method: String}>
sent(r) = Http.send({method: r.method, url: r.url, headers: r.headers |> mapValues(Secret.of), body: r.body}) |> map(.status)
output got = (asked |> perform(Queue, sent)).results |> map(r => match r { Ok(n) => "{n}"; Err(e) => e.message })
"""


class Heads:
    """A server that keeps what it is asked, as lines in lower case; `/to/N/URL` leads there with that status."""

    def __init__(self):
        self.asked = []
        self.raw = Raw(self.answer)
        self.place = f"127.0.0.1:{self.raw.port}"

    def answer(self, connection, head):
        path = head.split(" ")[1]
        lines = head.lower().split("\r\n")
        self.asked.append((head.split(" ")[0] + " " + path, sorted(lines[1:-2])))
        if path.startswith("/to/"):
            _, _, status, where = path.split("/", 3)
            connection.sendall(f"HTTP/1.1 {status} Moved\r\nLocation: {where}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        else:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def last(self, *names):
        """Of the last request: what it was, and these headers."""
        line, headers = self.asked[-1]
        return [line] + [header for header in headers if header.split(":")[0] in names]


def say(program, count, url, headers=None, body="", method="POST"):
    program.say(json.dumps({"url": url, "headers": headers or {}, "body": body, "method": method}))
    program.until(lambda: len(program.shown("got")) == count, "the answer")
    return program.shown("got")[-1]


@case
def heads_of_requests(place):
    here, there = Heads(), Heads()
    program = place.program("send.frp", SEND, "--in", "asked=jsonl:-", f"--allow-net={here.place}", f"--allow-net={there.place}")
    url = f"http://{here.place}"
    # What a text is, where nobody says.
    equal(say(program, 1, f"{url}/a", body="a=b"), "200")
    equal(here.last("content-type"), ["POST /a", "content-type: text/plain; charset=utf-8"])
    say(program, 2, f"{url}/b", body=' {"a": [1]}')
    equal(here.last("content-type"), ["POST /b", "content-type: application/json"])
    say(program, 3, f"{url}/c", {"content-TYPE": "text/csv"}, "a,b")
    equal(here.last("content-type"), ["POST /c", "content-type: text/csv"])
    say(program, 4, f"{url}/d", method="GET")
    equal(here.last("content-type"), ["GET /d"])
    # What follows from the body is nobody's to say.
    for count, name in enumerate(("Content-Length", "transfer-encoding"), 5):
        equal(say(program, count, f"{url}/e", {name: "3"}, "abc"), f"the header {name} follows from the body, and is not to be given")
    equal(here.last(), ["GET /d"])
    # The same server is told what the program says, another one nothing of it.
    keys = {"X-Api-Key": "k", "Authorization": "a", "Cookie": "c", "Content-Type": "text/csv"}
    names = ("x-api-key", "authorization", "cookie", "content-type")
    all_of_it = ["authorization: a", "content-type: text/csv", "cookie: c", "x-api-key: k"]
    say(program, 7, f"{url}/to/307/{url}/same", keys, "a,b")
    equal(here.last(*names), [f"POST /same"] + all_of_it)
    say(program, 8, f"{url}/to/307/http://{there.place}/other", keys, "a,b")
    equal(there.last(*names), ["POST /other"])
    say(program, 9, f"{url}/to/302/http://{there.place}/get", keys, "a,b")
    equal(there.last(*names), ["GET /get"])
    # Back where it came from, it is not told again.
    say(program, 10, f"{url}/to/307/http://{there.place}/to/307/{url}/back", keys, "a,b")
    equal(here.last(*names), ["POST /back"])
    equal([line for line in here.asked[-1][1] if line.startswith("accept")], ["accept-encoding: deflate, gzip", "accept: */*"])
    equal(program.end(), 0)
    here.raw.close()
    there.raw.close()


@case
def texts_that_are_none(place):
    place.write("bad.txt", b"a\xff\xfeb", "wb")
    place.write("bad.csv", b"n,t\n1,\xff\n", "wb")
    place.write("good.txt", "gr\u00fcn")
    with sqlite3.connect(place.file("kept.db")) as database:
        database.execute("CREATE TABLE t(n INTEGER, word TEXT)")
        database.execute("INSERT INTO t VALUES (1, CAST(X'61FF' AS TEXT)), (2, 'gr\u00fcn')")
    program = place.program(
        "read.frp", """
        input file: Event<String>
        read(f): Task<String> = Files.read(f)
        words(n): Task<List<{n: Int, word: String}>> = Db.query("kept.db", "SELECT * FROM t WHERE n >= :n ORDER BY n", {n: n})
        cells: Task<List<{n: Int, t: String}>> = Files.read("bad.csv")
        shown(r) = match r { Ok(t) => t; Err(e) => "no: {e.message}" }
        output text = (file |> perform(Queue, read)).results |> map(shown)
        output rows = (file |> perform(Queue, f => words(if f == "good.txt" then 2 else 1))).results |> map(r => shown(r |> map(l => l |> map(.word) |> join(" "))))
        output csv = (file |> perform(Queue, _ => cells)).results |> map(r => shown(r |> map(_ => "cells")))
        input value: Behavior<Option<String>> = None from Files.value("bad.txt")
        output now = value
        """, "--in", "file=lines:-", "--allow-read=.")
    for name in ("bad.txt", "good.txt"):
        program.say(name)
    program.until(lambda: all(len(program.shown(name)) == 2 for name in ("text", "rows", "csv")), "all answers")
    equal(program.shown("text"), ["no: bad.txt: not UTF-8", "gr\u00fcn"])
    equal(program.shown("csv"), ["no: bad.csv: not UTF-8"] * 2)
    equal(program.shown("rows"), ["no: kept.db: the text in the column word is not UTF-8", "gr\u00fcn"])
    program.until(lambda: any("bad.txt: not UTF-8" in line for line in program.err), "it is told")
    equal(program.shown("now"), [None])
    equal(program.stop(), 130)


@case
def a_mark_before_json_is_passed_over(place):
    place.write("n.json", b'\xef\xbb\xbf{"n": 7}', "wb")
    place.write("n.txt", b"\xef\xbb\xbf{}", "wb")
    body = b'\xef\xbb\xbf[1, 2]'
    web = Raw(lambda c, head: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body))
    program = place.program(
        "mark.frp", f"""
        file: Task<{{n: Int}}> = Files.read("n.json")
        plain: Task<String> = Files.read("n.txt")
        asked: Task<List<Int>> = Http.get("http://127.0.0.1:{web.port}/")
        output read = (start |> perform(All, _ => file)).results |> map(r => match r {{ Ok(v) => "{{v.n}}"; Err(e) => e.message }})
        output text = (start |> perform(All, _ => plain)).results |> map(r => match r {{ Ok(t) => size(t); Err(_) => 0 }})
        output got = (start |> perform(All, _ => asked)).results |> map(r => match r {{ Ok(v) => "{{v}}"; Err(e) => e.message }})
        """, "--allow-read=.", f"--allow-net=127.0.0.1:{web.port}")
    program.until(lambda: all(program.shown(name) for name in ("read", "text", "got")), "all answers")
    equal([program.shown(name)[0] for name in ("read", "text", "got")], ["7", 3, "[1, 2]"])
    program.wait()
    web.close()


@case
def a_folder_that_is_replaced_ends_what_follows_its_files(place):
    place.write("logs/a.log", "")
    place.write("logs/v.json", "1")
    program = place.program(
        "follow.frp", """
        tailed = listen(start, All, _ => Files.tail("logs/a.log"))
        output line = tailed.items
        values: Source<Int> = Files.value("logs/v.json")
        valued = listen(start, All, _ => values)
        output value = valued.items
        output ends = merge(tailed.ends, valued.ends) |> map(r => match r { Ok(_) => "ok"; Err(e) => e.message })
        """, "--allow-read=logs")
    program.until_shown("value", 1)
    program.until(lambda: program.watches(place.file("logs/a.log")), "it is followed")
    # A file that goes away and comes again, in a folder that stays, is followed on.
    os.rename(place.file("logs/a.log"), place.file("logs/a.log.1"))
    place.write("logs/a.log", "one\n")
    program.until_shown("line", "one")
    os.rename(place.file("logs"), place.file("old"))
    place.write("logs/a.log", "two\n")
    gone = "it is gone: logs/{}: the granted folder is not where it was at the start"
    program.until(lambda: len(program.shown("ends")) == 2, "both end")
    equal(sorted(program.shown("ends")), [gone.format("a.log"), gone.format("v.json")])
    equal(program.shown("line"), ["one"])
    program.wait()
