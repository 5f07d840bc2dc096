"""A Jupyter kernel over `frp repl --protocol json`: a cell is what is typed at the prompt, in virtual time.

In:  cells. Out: what the prompt says; `:plot` and `:graph` as pictures, lists of records as tables.
Time passes only by `:step 1s`, `:to 10s` or `:step next`. The program is found as FRP in the environment, or as `frp` on the path.
"""

import html
import json
import os
import re
import signal
import subprocess
import tempfile

from ipykernel.kernelbase import Kernel

MOST_ROWS = 200
PICTURE = re.compile(r"^\s*:(plot|graph)\b(?!.*\bto\s+\S+\s*$)")


class Prompt:
    """The other side of the protocol: one request, one reply, a line each."""

    def __init__(self):
        self.process = subprocess.Popen(
            [os.environ.get("FRP", "frp"), "repl", "--protocol", "json"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True)

    def ask(self, request, **fields):
        line = json.dumps({"do": request, **fields}, ensure_ascii=False)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            return {"ok": False, "text": "the session has ended; restart the kernel", "ended": True}
        return json.loads(reply)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()


def table(rows):
    """A list of records as HTML; None for anything else."""
    if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    cell = lambda value: html.escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(row[name]) if name in row else ''}</td>" for name in names) + "</tr>"
        for row in rows[:MOST_ROWS])
    more = f"<p>… and {len(rows) - MOST_ROWS:,} more</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class FrpKernel(Kernel):
    implementation = "frp"
    implementation_version = "0.2"
    banner = "frp: behaviors, events, and time that you move. :help lists the commands."
    language_info = {
        "name": "frp", "mimetype": "text/x-frp", "file_extension": ".frp", "pygments_lexer": "frp",
        "codemirror_mode": "javascript",
    }

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.prompt = Prompt()

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, *, cell_meta=None,
                   cell_id=None):
        result = {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        if not code.strip():
            return result
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "picture.svg") if PICTURE.match(code) else None
            reply = self.prompt.ask("enter", text=f"{code.rstrip()} to {picture}" if picture else code)
            svg = None
            if picture and reply.get("ok") and os.path.exists(picture):
                with open(picture, encoding="utf-8") as file:
                    svg = file.read()
        text = reply.get("text", "")
        if not reply.get("ok"):
            if not silent:
                self.send_response(self.iopub_socket, "stream", {"name": "stderr", "text": text + "\n"})
            return {"status": "error", "ename": "frp", "evalue": text.split("\n")[0], "traceback": [],
                    "execution_count": self.execution_count}
        if silent:
            return result
        if svg:
            self.show({"image/svg+xml": svg, "text/plain": code.strip()})
        else:
            rows = self.rows(text)
            if rows:
                self.show({"text/html": rows, "text/plain": text})
            elif text:
                self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text + "\n"})
        return result

    def rows(self, text):
        """The value of an expression that is a list of records, which the prompt calls `it`."""
        if not text.startswith(": "):
            return None
        return table(self.prompt.ask("value", name="it").get("value"))

    def show(self, data):
        self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})

    def do_complete(self, code, cursor_pos):
        reply = self.prompt.ask("complete", text=code, cursor=cursor_pos)
        names = reply.get("names", [])
        start = cursor_pos - reply.get("replaced", 0)
        kinds = [{"start": start, "end": cursor_pos, "text": n["name"], "type": n["note"]} for n in names]
        return {"status": "ok", "matches": [n["name"] for n in names], "cursor_start": start, "cursor_end": cursor_pos,
                "metadata": {"_jupyter_types_experimental": kinds}}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        before = re.search(r"[A-Za-z_][\w.]*$", code[:cursor_pos])
        after = re.match(r"\w*", code[cursor_pos:])
        name = (before.group() if before else "") + after.group()
        reply = self.prompt.ask("enter", text=f":doc {name}") if name else {"ok": False}
        if not reply.get("ok"):
            reply = self.prompt.ask("enter", text=f":info {name}") if name else {"ok": False}
        found = bool(reply.get("ok"))
        return {"status": "ok", "found": found, "data": {"text/plain": reply.get("text", "")} if found else {},
                "metadata": {}}

    def do_is_complete(self, code):
        return {"status": "complete" if self.prompt.ask("check", text=code).get("complete", True) else "incomplete",
                "indent": "  "}

    def do_shutdown(self, restart):
        self.prompt.end()
        return {"status": "ok", "restart": restart}
