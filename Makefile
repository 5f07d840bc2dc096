# What a newcomer runs: `make run`, `make test`. Everything else is in .ci/run.

SHELL := /bin/bash
TWEETS := .build/tweets.jsonl
FRP := .build/release/frp

BENCH := .build/release/FRPBench

.PHONY: manual soak run test build release install clean packages bench-build bench count baseline fuzz mutations coverage sanitize

# The system packages beyond Swift itself: libedit for the prompt, libcurl and libmosquitto for the network.
packages:
	@scripts/packages

build: packages
	swift build
	scripts/net .build/debug

release: packages
	scripts/release

# The program, its manual page and completions, and the libraries, below PREFIX: make install PREFIX=/usr/local
PREFIX := $(HOME)/.local
install: packages
	scripts/install $(PREFIX)

# The manual as a site: texts, examples with their pictures, the reference, every diagnostic.
MANUAL := .build/manual
PAGES := tutorial how_to coming_from meaning world always_on page pictures documenting measuring editors reference
manual: release
	$(FRP) doc --manual $(PAGES:%=docs/%.md) examples examples/page examples/world -o $(MANUAL)

# A hundred thousand tweets through a program of forty lines: every update as it happens, the totals at the end.
run: release $(TWEETS)
	$(FRP) run examples/sentiment.frp < $(TWEETS)

$(TWEETS): scripts/tweets
	@mkdir -p .build
	scripts/tweets 100000 > $@

# Unit, golden and example tests in this process, then the process itself. FRP_COLLECT=1: everything is collected, and
# old memory overwritten, at every call of the engine, so that whoever keeps a word of the heap too long fails here.
test: export FRP_LIB := $(CURDIR)/.build/net
test: packages
	@scripts/packages tests
	Tests/Mutations/run --check
	FRP_COLLECT=1 scripts/checked test
	HELLO_MS=500 FRP_COLLECT=1 bash Tests/CommandLine/run .build/checked/debug/frp
	Tests/Terminal/run .build/checked/debug/frp

# Machine instructions an event, held within 3 % of those in the file, and of every built-in at n and 10 n, which may not grow
# as the square; never times, which are another machine's business.
count:
	@if command -v valgrind > /dev/null; then \
	  $(MAKE) --no-print-directory bench-build && $(BENCH) --instructions --baseline Bench/instructions.txt \
	    && $(BENCH) --growth; \
	else echo "skipped: instructions are not counted, since valgrind is not installed"; fi

# Takes the present numbers: make baseline MESSAGE="what changed"
baseline: bench-build
	@test -n "$(MESSAGE)" || { echo 'say why: make baseline MESSAGE="what changed"'; exit 2; }
	$(BENCH) --instructions --baseline Bench/instructions.txt --accept "$(MESSAGE)"

# Without debug information, which valgrind 3.19 cannot read.
bench-build: packages
	swift build -c release --product FRPBench -Xswiftc -static-stdlib -Xlinker -S

# Every workload beside a loop written by hand and the peers that are installed: .build/bench.md and .build/bench.json.
bench: release bench-build
	$(BENCH) --peers Bench/peers --markdown .build/bench.md --json .build/bench.json

# Every target of Checking/Fuzzing for this long; TARGETS="json csv" chooses.
SECONDS := 30
fuzz: packages
	scripts/fuzz $(SECONDS) $(TARGETS)

# Fresh random programs and laws for this long; a failure is printed with its seed, made small.
MINUTES := 60
soak: packages
	swift build -c release --product FRPSoak
	.build/release/FRPSoak soak $(MINUTES)

# Breaks the engine in every way of Tests/Mutations/list.toml and looks which test notices.
mutations: packages
	Tests/Mutations/run

# Lines of the checker, the planner and the engine that the tests run.
coverage: packages
	scripts/coverage

# The tests under the address and the thread sanitizer.
sanitize: packages
	scripts/sanitize address
	scripts/sanitize thread

clean:
	swift package clean
	rm -f $(TWEETS)
