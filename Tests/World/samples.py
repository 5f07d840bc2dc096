"""The eight examples, live."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

import paho.mqtt.client
import websockets.exceptions
import websockets.sync.client
import websockets.sync.server

from harness import Failure, Skipped, Web, answers, authority, case, equal, free_port, sample, until

JSON = "application/json"


@case
def search_asks_once_and_tries_again(place):
    asked = []

    def answer(method, path, body):
        asked.append(path)
        if "q=none" in path:
            return 404, "text/plain", "no"
        if len(asked) == 1:
            return 503, "text/plain", "busy"
        return 200, JSON, '{"total": 1, "items": [{"name": "yampa", "stars": 3, "language": null, "x": 1}]}'

    web = Web(answer, authority().context())
    text = sample("search.frp", ("https://api.example.org", web.place))
    program = place.program(
        "search.frp", text, "--in", "typed=lines:-", f"--allow-net=localhost:{web.port}", env=authority().trusted)
    for typed in ["f", "fr", " frp"]:
        program.say(typed)
    program.until_shown("found", ["yampa (3)"])
    equal(asked, ["/search?q=frp"] * 2)
    program.say("none")
    program.until_shown("found", ["404 Not Found"])
    program.say("a b&c")
    program.until(lambda: "/search?q=a%20b%26c" in asked, "the question is escaped")
    equal(program.end(), 0)
    equal(program.shown("busy")[-1], False)
    web.close()


@case
def ticker_comes_back_after_a_cut(place):
    connections = []

    def serve(connection):
        connections.append(connection.request.path)
        if len(connections) == 1:
            for price in [10.0, 11.0]:
                connection.send(json.dumps({"symbol": "X", "price": price}))
            connection.socket.shutdown(2)
        else:
            connection.send(json.dumps({"symbol": "X", "price": 12.0}))
            with contextlib.suppress(websockets.exceptions.ConnectionClosed):
                connection.recv()

    server = websockets.sync.server.serve(serve, "127.0.0.1", 0, ssl_context=authority().context())
    port = server.socket.getsockname()[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    text = sample("ticker.frp", ("wss://feed.example.org/", f"wss://localhost:{port}/"))
    program = place.program("ticker.frp", text, f"--allow-net=localhost:{port}", env=authority().trusted)
    program.until(lambda: program.shown("board")[-1:] == [{"X": {"price": 12.0, "mean": 11.0}}], "three prices")
    equal(connections, ["/v1?topic=trades"] * 2)
    equal(program.shown("stale")[-1], False)
    equal(program.stop(), 130)
    server.shutdown()


@case
def logalert_follows_a_rotated_log(place):
    posts = []

    def answer(method, path, body):
        posts.append((path, json.loads(body)))
        return (500 if len(posts) == 1 else 200), "text/plain", "ok"

    web = Web(answer, authority().context())
    log = place.write("log/current.log", "ERROR old\n" * 10)
    text = sample(
        "logalert.frp", ("/var/log/app/current.log", log), ("https://hooks.example.org", web.place))
    program = place.program(
        "logalert.frp", text, f"--allow-net=localhost:{web.port}", f"--allow-read={place.file('log')}",
        env=authority().trusted)
    program.until(lambda: program.watches(log), "the log is followed")
    place.write("log/current.log", "ERROR a\nfine\nERROR b\nERROR c\n", "a")
    os.rename(log, log + ".1")
    place.write("log/current.log.1", "ERROR late\n", "a")
    place.write("log/current.log", "ERROR d\nERROR disk\n")
    program.until(lambda: len(posts) == 2, "the hook is told again after its 500")
    equal([path for path, _ in posts], ["/T1/B2"] * 2)
    equal(posts[0], posts[1])
    program.until(lambda: len(program.shown("alert")) == 1, "one alert")
    if "errors in a minute" not in program.shown("alert")[0]["text"]:
        raise Failure(f"{program.shown('alert')}")
    equal(program.stop(), 130)
    web.close()


class Broker:
    """mosquitto."""

    def __init__(self, place):
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:" + os.environ["PATH"])
        if not program:
            raise Skipped("there is no mosquitto")
        self.port = free_port()
        file = place.write("mosquitto.conf", f"user root\nlistener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self.process = subprocess.Popen(
            [program, "-c", file], cwd=place.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: answers(self.port), "mosquitto listens")
        self.heard = []
        self.client = paho.mqtt.client.Client()
        self.client.on_message = lambda client, data, message: self.heard.append((message.topic, message.payload.decode()))
        subscribed = threading.Event()
        self.client.on_subscribe = lambda *words: subscribed.set()
        self.client.connect("127.0.0.1", self.port)
        self.client.loop_start()
        self.client.subscribe("home/#", 1)
        subscribed.wait(30)

    def close(self):
        self.client.loop_stop()
        self.process.kill()
        self.process.wait()


@case
def thermostat_switches_a_heater(place):
    broker = Broker(place)
    text = sample("thermostat.frp", ('"mqtt://127.0.0.1"', f'"mqtt://127.0.0.1:{broker.port}"'))
    program = place.program("thermostat.frp", text, f"--allow-net=127.0.0.1:{broker.port}")
    states = lambda: [json.loads(body)["state"] for topic, body in broker.heard if topic == "home/attic/heater/set"]
    program.until(lambda: states() == ["OFF"], "the first value")
    # Nothing says when the broker has its subscriptions; they are made before what it publishes is acknowledged, or it is said again.
    program.until(
        lambda: broker.client.publish("home/attic/temperature", "18.0", 1) and time.sleep(0.1) or states()[-1:] == ["ON"],
        "it is cold")
    program.until(
        lambda: broker.client.publish("home/attic/wish", "15", 1) and time.sleep(0.1) or states()[-1:] == ["OFF"],
        "less is wished for")
    broker.client.publish("home/attic/temperature", "cold", 1)
    program.until(lambda: any("expected Float" in line for line in program.err), "what does not fit is told")
    equal(program.stop(), 130)
    broker.close()


def fetch(url, body=None, method=None):
    """Status and text of an answer."""
    data = None if body is None else body.encode()
    request = urllib.request.Request(url, data, {"Content-Type": JSON}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


@case
def view_keeps_totals_in_a_database(place):
    database = sqlite3.connect(place.file("shop.db"))
    database.execute("CREATE TABLE total (customer TEXT PRIMARY KEY, cents INTEGER)")
    database.commit()
    port = free_port()
    program = place.program("view.frp", sample("view.frp"), f"--allow-listen={port}", f"--allow-write={place.path}")
    program.until(lambda: fetch(f"http://127.0.0.1:{port}/best") == (200, "[]"), "nothing is sold")
    orders = [("1", "ann", 500), ("2", "ann", 250), ("1", "ann", 500), ("3", "bob", 900)]
    for number, customer, cents in orders:
        order = json.dumps({"id": number, "customer": customer, "cents": cents, "more": 1})
        equal(fetch(f"http://127.0.0.1:{port}/orders", order), (202, ""))
    status, sentence = fetch(f"http://127.0.0.1:{port}/orders", '{"id": "4", "customer": "eve", "cents": "many"}')
    equal(status, 400)
    if "cents" not in sentence:
        raise Failure(sentence)
    best = [["bob", 900], ["ann", 750]]
    program.until(lambda: json.loads(fetch(f"http://127.0.0.1:{port}/best")[1]) == best, "the best are served")
    rows = lambda: sorted(database.execute("SELECT customer, cents FROM total"))
    program.until(lambda: rows() == [("ann", 750), ("bob", 900)], "they are in the table")
    equal(fetch(f"http://127.0.0.1:{port}/none")[0], 404)
    equal(fetch(f"http://127.0.0.1:{port}/best", method="DELETE")[0], 405)
    equal(program.stop(), 130)
    database.close()


@case
def chat_tells_everyone(place):
    port = free_port()
    program = place.program("chat.frp", sample("chat.frp"), f"--allow-listen={port}")
    program.until(lambda: fetch(f"http://127.0.0.1:{port}/people") == (200, "[]"), "nobody is there")
    connect = lambda: websockets.sync.client.connect(f"ws://127.0.0.1:{port}/chat")
    hear = lambda client: json.loads(client.recv(30))
    with connect() as ann, connect() as bob:
        equal([hear(ann), hear(bob)], [[], []])
        ann.send('{"name": "ann", "text": "hi"}')
        equal([hear(ann), hear(bob)], [[{"from": "ann", "text": "hi"}]] * 2)
        bob.send('{"text": "hello"}')
        equal([hear(ann), hear(bob)], [[{"from": "guest 2", "text": "hello"}]] * 2)
        # At most five in ten seconds.
        for number in range(8):
            ann.send(json.dumps({"text": str(number)}))
        equal([hear(bob)[0]["text"] for _ in range(4)], ["0", "1", "2", "3"])
        with connect() as eve:
            equal([line["text"] for line in hear(eve)], ["hi", "hello", "0", "1", "2", "3"])
        people = lambda: json.loads(fetch(f"http://127.0.0.1:{port}/people")[1])
        program.until(lambda: people() == ["ann", "guest 2"], "eve has left")
        # Closing with a code, a frame without a mask, and no close at all.
        bob.close(4000, "bye")
        program.until(lambda: people() == ["ann"], "bob has left")
        ann.socket.sendall(b"\x81\x02{}")
        try:
            while True:
                ann.recv(30)
        except websockets.exceptions.ConnectionClosed as closed:
            equal(closed.rcvd and closed.rcvd.code, 1002)
    program.until(lambda: people() == [], "all have left")
    equal(program.stop(), 130)


@case
def jobs_run_once_at_a_time(place):
    def script(name, text):
        return place.executable(name, "#!/bin/sh\n" + text)

    hooks = []
    web = Web(lambda method, path, body: hooks.append(body) or (200, "text/plain", "ok"), authority().context())
    dump = script("pg_dump", f'echo "$@" >> {place.file("dumps")}; echo disk full >&2; exit 1\n')
    check = script("check", f"echo x >> {place.file('checks')}; sleep 0.5; echo fine\n")
    port = free_port()
    text = sample(
        "jobs.frp", ("/usr/bin/pg_dump", dump), ("/usr/local/bin/check", check),
        ("https://ntfy.example.org", web.place))
    program = place.program(
        "jobs.frp", text, "--in", 'nightly=Source.fromList([(0.1s, "2026-01-02T02:30")])', "--in",
        'often=Source.fromList([(0.1s, "a"), (0.1s, "b"), (0.1s, "c")])', f"--allow-run={dump}",
        f"--allow-run={check}", f"--allow-net=localhost:{web.port}", f"--allow-listen={port}",
        env=authority().trusted)
    program.until(lambda: hooks == [f"{dump}: disk full\n"], "what fails is told")
    equal(open(place.file("dumps")).read(), "-f /backup/2026-01-02.sql shop\n" * 3)
    ended = {"backup": {"Err": {"message": f"{dump}: disk full\n"}}, "check": {"Ok": "fine\n"}, "busy": False}
    program.until_shown("status", ended)
    equal(open(place.file("checks")).read(), "x\n", "two came while it ran")
    web.close()


@case
def cron_wakes_at_the_next_minute(place):
    text = 'input minute: Event<String> from Clock.cron("* * * * *")\noutput seen = minute\n'
    # Moments are of UTC, wherever the machine stands.
    program = place.program("cron.frp", text, env={"TZ": "Asia/Kolkata"})
    until(lambda: program.shown("seen"), "a minute", 90)
    # It is looked at a moment later, perhaps in the next one.
    minutes = [time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() - late)) for late in (0, 30)]
    if program.shown("seen")[0][:16] not in minutes:
        raise Failure(f"{program.shown('seen')} is none of {minutes}")
    equal(program.stop(), 130)


@case
def rss_tells_each_entry_once(place):
    told = []

    def answer(method, path, body):
        if method == "POST":
            told.append(json.loads(body)["text"])
            return 200, "text/plain", "ok"
        if path == "/b.json":
            return 200, JSON, '{"items": "none"}'
        items = [{"id": number, "title": "t" + number, "url": "u"} for number in ["1", "2", "1"]]
        return 200, JSON, json.dumps({"version": "1.1", "items": items})

    web = Web(answer, authority().context())
    place.write("feeds.json", json.dumps([web.place + "/a.json", web.place + "/b.json"]))
    port = free_port()
    text = sample(
        "rss.frp", ("https://a.example.org/feed.json", web.place + "/none.json"),
        ("https://hooks.example.org", web.place))
    program = place.program(
        "rss.frp", text, "--allow-read=feeds.json", f"--allow-net=localhost:{web.port}", f"--allow-listen={port}",
        env=authority().trusted)
    program.until(lambda: told == ["t1 u", "t2 u"], "two entries")
    recent = lambda: [entry["id"] for entry in json.loads(fetch(f"http://127.0.0.1:{port}/recent")[1])]
    program.until(lambda: recent() == ["2", "1"], "the newest first")
    program.until(lambda: any("items" in line for line in program.shown("trouble")), "what does not fit")
    equal([path for _, path, _ in web.requests if path.endswith(".json")], ["/a.json", "/b.json", "/b.json"])
    equal(program.stop(), 130)
    web.close()
