"""Who is let in, what is asked wrongly, who never reads, and connections that break."""

import time

from drive import Cut, Guest, drag_time, opened, sentence, until
from kit import COUNTER, SHAPES, asked, press, scenario, served, shows


@scenario
def viewers_only_look_on(browser):
    with served("counter", COUNTER, "--viewers") as run:
        page = opened(browser, run.addresses[1])
        assert page.locator(".control[data-name=tap] .push").is_disabled(), "controls of who only looks on"
        assert page.locator(".code-input").get_attribute("readonly") is not None, "the text of who only looks on"
        until(page, "() => Number(document.querySelector('.time-slider').max) > 0.5")
        drag_time(page, 0.4)
        until(page, "() => document.body.dataset.mode === 'past'")
        assert page.get_by_role("button", name="Go on from here").count() == 0, "who only looks on goes on"


UPGRADE = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]

# What is asked (HOST and ORIGIN are the page's own), and how it is answered.
REQUESTS = [
    (200, ["GET / HTTP/1.1", "Host: HOST"]),
    (200, ["GET /?x=1 HTTP/1.1", "Host: HOST"]),
    (200, ["HEAD /page.css HTTP/1.1", "Host: HOST"]),
    (200, ["GET /page.js HTTP/1.1", "Host: HOST", "Origin: ORIGIN"]),
    (200, ["GET / HTTP/1.1", "Host: LOCAL"]),
    # Names: of another site, without a port, with another port, none, two.
    (421, ["GET / HTTP/1.1", "Host: evil.example"]),
    (421, ["GET / HTTP/1.1", "Host: 127.0.0.1"]),
    (421, ["GET / HTTP/1.1", "Host: 127.0.0.1:1"]),
    (421, ["GET / HTTP/1.1", "Host: HOST.evil.example"]),
    (400, ["GET / HTTP/1.1"]),
    (400, ["GET / HTTP/1.1", "Host: HOST", "Host: evil.example"]),
    (421, ["GET /socket HTTP/1.1", "Host: evil.example", *UPGRADE]),
    (421, ["GET /socket HTTP/1.1", "Host: evil.example", "Origin: ORIGIN", *UPGRADE]),
    # Where a page comes from.
    (403, ["GET / HTTP/1.1", "Host: HOST", "Origin: http://evil.example"]),
    (403, ["GET /socket HTTP/1.1", "Host: HOST", "Origin: http://evil.example", *UPGRADE]),
    (403, ["GET /socket HTTP/1.1", "Host: HOST", "Origin: null", *UPGRADE]),
    (403, ["GET /socket HTTP/1.1", "Host: HOST", "Origin: https://HOST", *UPGRADE]),
    (101, ["GET /socket HTTP/1.1", "Host: HOST", "Origin: ORIGIN", *UPGRADE]),
    (101, ["GET /socket HTTP/1.1", "Host: HOST", *UPGRADE]),
    # Methods and paths.
    (405, ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 0"]),
    (405, ["PUT /page.js HTTP/1.1", "Host: HOST", "Content-Length: 0"]),
    (405, ["DELETE / HTTP/1.1", "Host: HOST"]),
    (405, ["OPTIONS / HTTP/1.1", "Host: HOST", "Access-Control-Request-Method: GET"]),
    (404, ["GET /none HTTP/1.1", "Host: HOST"]),
    (404, ["GET /../etc/passwd HTTP/1.1", "Host: HOST"]),
    (404, ["GET /lesson.js HTTP/1.1", "Host: HOST"]),
    (426, ["GET /socket HTTP/1.1", "Host: HOST"]),
    (426, ["POST /socket HTTP/1.1", "Host: HOST", "Content-Length: 0"]),
    (426, ["GET /socket HTTP/1.1", "Host: HOST", *UPGRADE[:2], "Sec-WebSocket-Version: 8", UPGRADE[3]]),
    # Sizes.
    (414, ["GET /" + "a" * 9000 + " HTTP/1.1", "Host: HOST"]),
    (431, ["GET / HTTP/1.1", "Host: HOST", "X: " + "a" * 20000]),
    (431, ["GET / HTTP/1.1", "Host: HOST", *["X: a"] * 200]),
]

POLICY = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"]


@scenario
def requests(browser):
    with served("counter", COUNTER) as run:
        host = f"127.0.0.1:{run.port}"
        wrong = []
        for wanted, lines in REQUESTS:
            lines = [line.replace("ORIGIN", f"http://{host}").replace("HOST", host).replace("LOCAL", f"localhost:{run.port}") for line in lines]
            status, head, _ = asked(run.port, lines)
            if status != wanted:
                wrong.append(f"{status} instead of {wanted}: {[line[:60] for line in lines]}")
            if status == 200:
                assert all(part in head for part in POLICY) and "unsafe" not in head, head
                assert "X-Content-Type-Options: nosniff" in head and "Referrer-Policy: no-referrer" in head, head
                assert "Access-Control" not in head, head
        assert not wrong, "\n".join(wrong)


@scenario
def who_is_let_in(browser):
    with served("counter", COUNTER, "--viewers") as run:
        # The first word is the token, or nothing is done.
        for word in [{"do": "hello", "token": "wrong"}, {"do": "hello", "token": run.token[:-1]}, {"do": "hello"}, {"do": "hello", "token": None},
                     {"do": "send", "name": "tap", "value": None}, {"do": "edit", "text": ""}, {"do": "edit", "token": run.token, "text": ""}]:
            with Guest(run.port) as guest:
                guest.say(**word)
                assert guest.next()["is"] == "refused", word
                assert guest.next() is None, word
        with Guest(run.port) as guest:
            guest.send(1, b"no json")
            guest.say(do="hello", token="")
            assert guest.next()["is"] == "refused"
        # Who only looks on changes nothing, whatever is said.
        viewers = run.addresses[1].split("#")[1]
        with Guest(run.port, run.token) as owner, Guest(run.port, viewers) as viewer:
            owner.wait("program")
            assert viewer.wait("program")["isViewer"] is True
            for word in [{"do": "send", "name": "step", "value": 9}, {"do": "edit", "text": "output total = 9"}, {"do": "pause"}, {"do": "back", "to": 0},
                         {"do": "restart"}, {"do": "speed", "speed": 9}, {"do": "undo"}, {"do": "rewrite", "at": 0, "text": "output total = 9"}, {"do": "keep"}]:
                viewer.say(**word)
            viewer.say(do="seek", to=0)
            assert viewer.wait("past")["values"]["step"] == 1
            owner.say(do="seek", to=1e9)
            now = owner.wait("past")
            assert now["values"]["step"] == 1 and now["values"]["total"] == 0, now
        # What is no message of the page is said to be none, or is nothing; the server goes on.
        with Guest(run.port, run.token) as guest:
            for body in [b"", b"[]", b"{", b'{"do":7}', b'{"do":"fly"}', b'{"do":"seek","to":"x"}', b'{"do":"seek","to":-1e400}', b'{"do":"send","name":"nobody","value":1}',
                         b'{"do":"send","name":"step","value":"x"}', b'{"do":"rewrite","at":-5,"text":"output"}', b'{"do":"why","name":"nobody"}', b'{"do":"key","key":"a","down":1}',
                         b'{"do":"edit","text":"' + b"x" * 100_000 + b'"}']:
                guest.send(1, body)
            guest.say(do="seek", to=0)
            assert guest.wait("past")["t"] == 0
        with Guest(run.port, run.token) as guest:
            try:
                guest.send(1, b"x" * (2 << 20))
                assert guest.wait("frame") and [None for _ in iter(guest.next, None)] is not None
            except (ConnectionError, AssertionError):
                pass
        with Guest(run.port, run.token) as guest:
            guest.wait("program")
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{run.port}/#wrong")
        page.wait_for_selector(".notice")


@scenario
def a_viewer_that_never_reads(browser):
    with served("shapes", SHAPES) as run:
        silent = Guest(run.port, run.token)
        with Guest(run.port, run.token) as reader:
            reader.wait("history")
            before = run.megabytes
            start = time.monotonic()
            while time.monotonic() - start < 4:
                reader.wait("frame")
            grown = run.megabytes - before
            print(f"  4 s of 1,000 shapes beside a viewer that never reads: {grown:.1f} MB more")
            assert grown < 60, grown
            # It reads at last: what waited, then the whole state, at once the newest.
            reader.say(do="seek", to=1e9)
            now = reader.wait("past")["t"]
            while True:
                frame = silent.wait("frame")
                if frame.get("whole") and frame["t"] >= now:
                    break
        silent.close()


@scenario
def a_cut_connection(browser):
    with served("counter", COUNTER) as run:
        between = Cut(run.port)
        page = opened(browser, run.url.replace(f":{run.port}/", f":{between.port}/"))
        press(page, "tap")
        shows(page, "total", "1")
        page.locator(".control[data-name=order] .text-field").fill("a draft")
        page.locator(".code-input").fill(COUNTER + "// a thought")
        between.cut()
        until(page, "() => document.body.classList.contains('is-lost')")
        assert page.locator(".control[data-name=tap] .push").is_disabled()
        assert "connection is lost" in sentence(page, ".controls-note")
        between.join()
        until(page, "() => !document.body.classList.contains('is-lost')")
        press(page, "tap")
        shows(page, "total", "2")
        assert page.locator(".control[data-name=order] .text-field").input_value() == "a draft"
        assert page.locator(".code-input").input_value().endswith("// a thought")
        between.close()


@scenario
def a_server_that_begins_again(browser):
    with served("counter", COUNTER) as run:
        port = run.port
        page = opened(browser, run.url)
        draft = COUNTER.replace("hello", "bye")
        page.locator(".code-input").fill(draft)
        shows(page, "greeting", "bye ann")
        run.process.kill()
        until(page, "() => document.body.classList.contains('is-lost')")
    with served("counter", COUNTER, f"--port={port}"):
        # It is another run with another secret: the page says so, and keeps what was written.
        page.wait_for_selector(".notice", timeout=20000)
        assert "address any more" in sentence(page, ".notice")
        assert page.locator(".code-input").input_value() == draft and page.locator(".code-input").is_visible()
        until(page, "() => document.querySelector('.control[data-name=tap] .push').matches(':disabled')")
        assert sentence(page, ".link-state") == "" and "bye ann" in sentence(page, ".card[data-name=greeting] .view")


@scenario
def typing_through_a_cut(browser):
    with served("counter", COUNTER) as run:
        between = Cut(run.port)
        page = opened(browser, run.url.replace(f":{run.port}/", f":{between.port}/"))
        field = page.locator(".control[data-name=name] .text-field")
        field.fill("one")
        shows(page, "greeting", "hello one")
        between.cut()
        until(page, "() => document.body.classList.contains('is-lost')")
        page.keyboard.type(" two")
        between.join()
        until(page, "() => !document.body.classList.contains('is-lost')")
        page.keyboard.type(" three")
        shows(page, "greeting", "hello one two three")
        assert field.input_value() == "one two three" and page.locator(".play").get_attribute("aria-label") == "pause"
        # A button that has the focus keeps it, and does nothing meanwhile; nor do keys.
        page.locator(".control[data-name=tap] .push").focus()
        between.cut()
        until(page, "() => document.body.classList.contains('is-lost')")
        page.keyboard.press("Space")
        field.blur()
        page.keyboard.press("Space")
        between.join()
        until(page, "() => !document.body.classList.contains('is-lost')")
        assert page.evaluate("document.activeElement.textContent") == "tap"
        page.keyboard.press("Space")
        shows(page, "total", "1")
        assert page.locator(".play").get_attribute("aria-label") == "pause"
        between.close()
