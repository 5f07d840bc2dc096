# What a newcomer runs: `make run`, `make test`. Everything else is in .ci/run.

SHELL := /bin/bash
TWEETS := .build/tweets.jsonl
FRP := .build/release/frp

.PHONY: run test build release clean packages

# The one system package beyond Swift itself: libedit, for the prompt.
packages:
	@scripts/packages

build: packages
	swift build

release: packages
	swift build -c release --product frp -Xswiftc -static-stdlib

# A hundred thousand tweets through a program of forty lines: every update as it happens, the totals at the end.
run: release $(TWEETS)
	$(FRP) run examples/sentiment.frp < $(TWEETS)

$(TWEETS): scripts/tweets
	@mkdir -p .build
	scripts/tweets 100000 > $@

# Unit, golden and example tests in this process, then the process itself.
test: packages
	swift test
	HELLO_MS=500 bash Tests/CommandLine/run .build/debug/frp
	Tests/Terminal/run

clean:
	swift package clean
	rm -f $(TWEETS)
