"""A definition acts on the world once, however its parts are used."""

from harness import Web, case, equal


@case
def a_definition_asks_once(place):
    web = Web(lambda method, path, body: (200, "text/plain", "7"))
    program = place.program(
        "once.frp", f"""
get(path) = start |> perform(All, _ => Http.get("{web.place}/{{path}}"))
asked = get("asked")
api = {{posted: start |> perform(All, _ => Http.post("{web.place}/posted", 1)), none: []}}
heard = start |> listen(All, _ => Http.lines("{web.place}/heard"))
again = get("again")
output busy = asked.busy
output text: Event<Result<String, Error>> = asked.results
output number: Event<Result<Int, Error>> = again.results
output posting = api.posted.busy
output posted: Event<Result<Int, Error>> = api.posted.results
output link = heard.state
output ends = heard.ends
output line: Event<Int> = heard.items
""", f"--allow-net=localhost:{web.port}")
    equal(program.wait(), 0, program.told())
    equal(program.shown("text"), [{"Ok": "7"}])
    equal(program.shown("number"), [{"Ok": 7}])
    equal(program.shown("posted"), [{"Ok": 7}])
    equal(program.shown("line"), [7])
    equal(sorted(path for _, path, _ in web.requests), ["/again", "/asked", "/heard", "/posted"])
    web.close()
