# Kintsugi. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go

# The linter is pinned: another version finds other faults. Its file name carries the
# version and the Go it was built with, so that a change of either installs it anew.
LINT_VERSION := v2.15.0
LINT_MODULE := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
LINT = .cache/bin/golangci-lint-$(LINT_VERSION)-$(shell $(GO) env GOVERSION)

# The race detector watches all but SQLite, which is C that was translated: who uses a connection from
# two goroutines is seen in what is around it, and watching each of its loads was three quarters of the time.
RACE = -race -trimpath '-gcflags=all=-dwarf=false' '-gcflags=modernc.org/...=-race=false -dwarf=false' $(UNOPTIMISED)

# What only a debugger reads is a quarter of the time to compile everything. Stack traces need none of it.
# The program and the tests without the race detector are compiled alike, so that who has built one has built most of the other.
# Tests get it as GOFLAGS: one of them builds the program again with a change, and a binary knows only the last of its -gcflags.
PLAIN = -trimpath '-gcflags=all=-dwarf=false' $(UNOPTIMISED)

# Large, and little of it runs: to compile it well takes longer than it saves. The race detector watches it all the same:
# the linker keeps one of several copies of a generic function, and one that is not watched looks like a race elsewhere.
UNOPTIMISED = '-gcflags=github.com/openai/...=-dwarf=false -N -l' '-gcflags=github.com/nats-io/nats-server/...=-dwarf=false -N -l'

# The race detector watches the packages in which things go on at the same time. The others are pure, let calls of
# their own wait for each other, or pull in so much that to compile it once more takes minutes (the brokers of the
# publisher, the program as a whole); `make campaign` watches all.
RACED = ./handlers/{agents,coding,draft,egress,execution,loop,maintenance,planning,rehearsal} ./internal/eventlog/esdbapi ./internal/eventlog ./internal/eventlog/eventlogtest/crash \
	./internal/eventlog/{esdbmeta,jsonl,logcopy} ./internal/agent/llm/... ./internal/coding/gitrepo ./internal/coding/launch ./internal/eventlog/watermillsub ./internal/database/sqlitedb ./internal/secret/statestore ./internal/secret/vault
# Most tests of these packages do one thing at a time, and run without the race detector, which makes a test five times as
# dear. Those in the files below run under it alone; a rule in test/rules holds that no other test has the name of one.
PARTLY = ./commands ./handlers ./internal/eventlog/{kurrentlog,pglog,sqlitelog} ./internal/readmodel ./internal/sandbox/{hostcall,process}
RACED_FILES = commands/{execute,journal,queue}_test.go handlers/{beside,busy,deadline,draft,lease,loop,overlap,planrace,room,simulation,stall}_test.go \
	internal/eventlog/kurrentlog/{append,network}_test.go internal/eventlog/pglog/{away,contention,gap,log,network,open,ordered,queue,tail}_test.go \
	internal/eventlog/sqlitelog/{notify_file,file,linear,log,writer}_test.go internal/readmodel/{aside,generations,query,store}_test.go \
	internal/sandbox/process/{batch,cpu_slots,idle_workers,late_linux,pool,turn}_test.go internal/sandbox/hostcall/{dns,memory,web}_test.go
RACED_TESTS = ^($(shell grep -ho '^func Test[A-Za-z0-9_]*' $(RACED_FILES) | cut -c 6- | paste -sd '|'))$$
ALONE = $(filter-out $(shell $(GO) list $(RACED)),$(shell $(GO) list ./...))

# The collector works less: memory is there, for the compiler and for the tests.
QUICK = GOGC=400

# Tests wait for leases, servers and disks more than they compute: more of them at once than there are processors.
AT_ONCE = -parallel 6

# How long `make fuzz` spends on each target, and `make bench` on each benchmark.
FUZZTIME ?= 20s
BENCHTIME ?= 2s

# `make programs`: seed and number of random programs, and where they are written.
SEED ?= 1
COUNT ?= 1000
PROGRAMS ?= $(CURDIR)/.cache/programs.jsonl

# `make regexps`: how many patterns, flags and texts.
CASES ?= 20000

# `make faults`: how many places for each change and automation, and the seed.
FAULTS ?= 3 1

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z\/-]*:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What the program says of itself; a source without its history is "unknown".
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT = $(shell git rev-parse HEAD 2>/dev/null)

# Plain Go, no C compiler: the binary is static, and without symbols and debug information,
# of which a stack trace needs none: they were three tenths of it. Version control is left out of it, or a
# checkout that belongs to another user could not be built.
.PHONY: build
build: ## Build bin/kintsugi (needs Go and nothing else)
	CGO_ENABLED=0 $(GO) build $(PLAIN) -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)" -o bin/kintsugi ./cmd/kintsugi

# Dated by the commit, so that the same source has the same pages.
.PHONY: man
man: build ## Write man pages of all commands to bin/man
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 0) bin/kintsugi man --dir bin/man

.PHONY: demo
demo: build ## Build, then break, mend, prove and look back at three automations
	bin/kintsugi demo

.PHONY: test
test: test/page test/alone test/race ## Everything that must hold before a change lands, but for the linter's finer points (make lint)

# Between two edits: what needs no other program, without the race detector, the backends that
# are servers, worlds and processes that are killed.
.PHONY: test/fast
test/fast: ## The tests to run between two edits: a minute, no race detector, SQLite only
	CGO_ENABLED=0 GOFLAGS="$(PLAIN)" $(GO) test ./domain/... ./commands/... ./projections/... \
		$$($(GO) list ./internal/... | grep -v 'pglog\|kurrentlog\|logcopy\|/crash\|watermillsub\|lossydisk\|esdbapi\|drift\|pgschema')

# The backends are tested on the real thing: a private PostgreSQL, a FUSE disk that loses power, Node's clients.
.PHONY: test/alone
test/alone: ## Only the tests without the race detector: the program as a whole, pure code, many worlds
	@tools/need-postgres.sh
	@tools/need-fuse.sh
	@tools/need-node.sh
	@tools/need-broker.sh redis
	@# Once for all packages: vet reads the same files again for each way of compiling them.
	$(QUICK) CGO_ENABLED=0 $(GO) vet $(PLAIN) ./...
	@$(QUICK) CGO_ENABLED=0 GOFLAGS="$(PLAIN)" $(GO) test $(AT_ONCE) -vet=off -timeout 40m -skip '$(RACED_TESTS)' $(ALONE)

# The race detector is C code, so that these tests need a C compiler.
.PHONY: test/race
test/race: ## Only the tests under the race detector
	@tools/need-cc.sh
	@tools/need-postgres.sh
	@tools/need-fuse.sh
	@# A program with the race detector sleeps for a second before it ends, if it is not told otherwise.
	$(QUICK) GORACE=atexit_sleep_ms=10 CGO_ENABLED=1 $(GO) test $(RACE) $(AT_ONCE) -vet=off -timeout 40m $(RACED)
	@$(QUICK) GORACE=atexit_sleep_ms=10 CGO_ENABLED=1 $(GO) test $(RACE) $(AT_ONCE) -vet=off -timeout 40m -run '$(RACED_TESTS)' $(PARTLY)

# For a rule of test/rules.
.PHONY: raced
raced:
	@ls $(RACED_FILES)

.PHONY: lint
lint: $(LINT) ## Only the linter, with the import table of docs/design.md
	GOGC=400 CGO_ENABLED=0 $(LINT) run ./...

$(LINT):
	@echo "building golangci-lint $(LINT_VERSION) into .cache/bin: once, a few minutes"
	GOBIN=$(CURDIR)/.cache/bin CGO_ENABLED=0 $(GO) install $(LINT_MODULE)@$(LINT_VERSION)
	mv .cache/bin/golangci-lint $@

# From what the API says of itself. Nothing that comes with the generator is run when it is installed.
clients/typescript/node_modules/.package-lock.json: clients/typescript/package-lock.json
	@tools/need-node.sh
	cd clients/typescript && npm ci --ignore-scripts --no-audit --no-fund

.PHONY: clients
clients: build web/node_modules/.package-lock.json clients/typescript/node_modules/.package-lock.json ## Make the clients for TypeScript and Python (clients/)
	cd web && node tools/api.mjs --description ../bin/openapi.json
	cd clients/typescript && npm run generate && npm run build
	python3 clients/python/generate.py bin/openapi.json > bin/api.py && mv bin/api.py clients/python/kintsugi/api.py

.PHONY: test/client
test/client: web/node_modules/.package-lock.json clients/typescript/node_modules/.package-lock.json ## Have other people's programs use ours: our clients and a generated one, a real EventSource and provider of OAuth, the Standard Webhooks library, TypeScript's compiler, linters of OpenAPI
	@tools/need-node.sh
	CGO_ENABLED=0 $(GO) test -tags client -run 'GeneratedClient|OurClients|TheirLinter|EventSource|TheirLibrary|TheirCompiler|TheirProvider' ./cmd/internal/api ./cmd/internal/app ./handlers/publisher

# A program of a vendor's, 185 MB of it, and a compiler; nothing that comes with them is run when they are installed.
test/agents/node_modules/.package-lock.json: test/agents/package-lock.json
	@tools/need-node.sh
	cd test/agents && npm ci --ignore-scripts --no-audit --no-fund

.PHONY: test/agents
test/agents: test/agents/node_modules/.package-lock.json ## Have a real coding agent (opencode, Linux on x64) finish a plan in a TypeScript repository; its model is ours
	CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -timeout 20m -tags agents -run '^TestRepoPlanOfOpenCode$$' -v ./cmd/kintsugi

# Gitea is a Go module; its program is built once. Another database than SQLite, which needs a C compiler, is named by the lines of its settings in
# KINTSUGI_GITEA_DATABASE.
GITEA = 1.26.0
GITEA_DIR = $(CURDIR)/.cache/gitea-$(GITEA)
$(GITEA_DIR)/gitea:
	cp -r "$$($(GO) mod download -json code.gitea.io/gitea@v$(GITEA) | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')" $(GITEA_DIR)
	chmod -R u+w $(GITEA_DIR)
	cd $(GITEA_DIR) && $(GO) build -tags "sqlite sqlite_unlock_notify" -o gitea .

.PHONY: test/forge
test/forge: $(GITEA_DIR)/gitea ## Pull requests at a real forge (Gitea, built here: many minutes the first time)
	KINTSUGI_GITEA=$(GITEA_DIR)/gitea KINTSUGI_GITEA_SOURCE=$(GITEA_DIR) $(GO) test -count 1 -timeout 10m -tags forge -run '^TestGitea$$' -v ./internal/coding/forge

.PHONY: bench
bench: ## Run the benchmarks (docs/benchmarks.md says what they measure)
	CGO_ENABLED=0 $(GO) test -p 1 -run '^$$' -bench . -benchtime $(BENCHTIME) -timeout 30m ./...

.PHONY: bench-large
bench-large: ## Only the benchmarks of ten million events: the log, and the start of a server (an hour, 10 GB of disk)
	KINTSUGI_BENCH_LARGE=1 CGO_ENABLED=0 $(GO) test -p 1 -run '^$$' -bench Large -benchtime $(BENCHTIME) -timeout 4h ./internal/eventlog/... ./cmd/kintsugi

.PHONY: campaign
campaign: lint sim ## What `make test` does a little of: all tests under the race detector, with ten times as many kills, power cuts and checked histories
	KINTSUGI_CAMPAIGN=10 CGO_ENABLED=1 $(GO) test $(RACE) -timeout 4h ./...

.PHONY: sim
sim: ## Two thousand worlds and as many interleavings of planner and maintainer (KINTSUGI_SIM_SEED repeats one)
	KINTSUGI_CAMPAIGN=10 GOGC=off GOMEMLIMIT=1GiB CGO_ENABLED=0 $(GO) test -count 1 -timeout 2h -run '^Test(Simulation|PlannerRaces)$$' -v ./handlers

.PHONY: faults
faults: ## Break all automations on purpose, and print what templates and gate make of it (two minutes)
	KINTSUGI_FAULTS="$(FAULTS)" CGO_ENABLED=0 $(GO) test -count 1 -timeout 1h -run '^TestFaults$$' -v ./internal/measure/drift

.PHONY: candidates
candidates: ## Judge fixes as models in a hurry write them, and print what each reason to hold is good for (two minutes)
	KINTSUGI_CANDIDATES="1 12 1 01" CGO_ENABLED=0 $(GO) test -count 1 -timeout 1h -run '^TestCandidates$$' -v ./internal/measure/drift
	KINTSUGI_ABLATION=1 CGO_ENABLED=0 $(GO) test -count 1 -timeout 1h -run '^TestAblation$$' -v ./internal/proof/gate
.PHONY: silent
silent: ## Let automations go wrong without an error, and print what the guard makes of it (a minute)
	KINTSUGI_SILENT=worked-on CGO_ENABLED=0 $(GO) test -count 1 -timeout 1h -run '^TestSilent$$' -v ./internal/measure/drift
	KINTSUGI_SILENT="held back" CGO_ENABLED=0 $(GO) test -count 1 -timeout 1h -run '^TestSilent$$' -v ./internal/measure/drift

# HALF=frozen is the half whose author works on nothing that is measured; CASE is a regular expression of names.
HALF ?= open
CASE ?=
FIELD_OUT ?= $(CURDIR)/.cache/field-$(HALF).jsonl
FIELD = KINTSUGI_FIELD="$(HALF)" KINTSUGI_FIELD_CASE="$(CASE)" KINTSUGI_FIELD_OUT="$(FIELD_OUT)" CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -timeout 2h

.PHONY: field
field: ## Play automations as people and models write them, and print what becomes of their changes (HALF=frozen, CASE=name)
	@tools/need-node.sh
	$(FIELD) -run '^TestField$$' -v ./cmd/internal/field

.PHONY: gallery
gallery: ## Play days of the automations of gallery/ on the services of their cases, and write their recorded runs
	@tools/need-node.sh
	KINTSUGI_GALLERY="$(CURDIR)/gallery" CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -run '^TestGalleryRecord$$' ./cmd/internal/field

.PHONY: field/gate
field/gate: ## Only the gate's table of the field, without repairs and the days that follow (HALF, CASE)
	@tools/need-node.sh
	KINTSUGI_FIELD_ONLY=gate $(FIELD) -run '^TestField$$' -v ./cmd/internal/field

# FIELD_DAYS keeps the days, so that another guard can be asked about the same ones in a minute.
FIELD_DAYS ?= $(CURDIR)/.cache/days-$(HALF).jsonl

.PHONY: field/guard
field/guard: ## Only the guard on the days of the field, which are recorded once without it, in FIELD_DAYS (HALF, CASE)
	@tools/need-node.sh
	KINTSUGI_FIELD_DAYS="$(FIELD_DAYS)" $(FIELD) -run '^TestFieldGuard$$' -v ./cmd/internal/field

.PHONY: field/check
field/check: ## Only see that the cases of testdata/field are what they say (HALF, CASE)
	@tools/need-node.sh
	KINTSUGI_FIELD_ONLY=check $(FIELD) -run '^TestFieldCases$$' -v ./cmd/internal/field

.PHONY: field/explain
field/explain: ## Only say in how many changes of the field the joint explanation is found, complete, sure and true (HALF; CASE is looked for in names and texts)
	@tools/need-node.sh
	@mkdir -p .cache
	KINTSUGI_FIELD="$(HALF)" KINTSUGI_FIELD_RECORD="$(CURDIR)/.cache/field-$(HALF).json" CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -run '^TestFieldRecord$$' ./cmd/internal/field
	KINTSUGI_FIELD_CASE="$(CASE)" KINTSUGI_FIELD_RECORD="$(CURDIR)/.cache/field-$(HALF).json" CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -run '^TestExplained$$' -v ./internal/proof/gate

.PHONY: brokers
brokers: build ## What is promised of each broker, with RabbitMQ, and three servers that are killed while brokers restart (five minutes)
	@tools/need-postgres.sh
	@tools/need-broker.sh redis
	@tools/need-broker.sh rabbitmq
	KINTSUGI_RABBITMQ=1 KINTSUGI_PROGRAM=$(CURDIR)/bin/kintsugi CGO_ENABLED=0 $(GO) test $(PLAIN) -count 1 -timeout 1h -v ./test/brokers

.PHONY: programs
programs: ## Compare what random programs give here with what Node gives: SEED (default 1), COUNT (default 1000)
	@mkdir -p $(dir $(PROGRAMS))
	TZ=UTC node tools/programs.mjs $(SEED) $(COUNT) > $(PROGRAMS)
	KINTSUGI_PROGRAMS=$(PROGRAMS) $(GO) test ./internal/sandbox/process -run TestRandomPrograms

.PHONY: regexps
regexps: ## Compare what regular expressions give here with what Node gives: SEED (default 1), CASES (default 20000)
	@mkdir -p .cache
	TZ=UTC node tools/regexps.mjs $(SEED) $(CASES) > .cache/regexps.jsonl
	KINTSUGI_REGEXPS=$(CURDIR)/.cache/regexps.jsonl $(GO) test ./internal/sandbox/process -run '^TestRegularExpressionsGiveWhatNodeGives$$' -count 1

.PHONY: conformance
conformance: ## Run test262 of the folder TEST262, in the folders that testdata/conformance/test262.txt covers, against its known failures, which may only shrink (20 minutes; KINTSUGI_ONLY=built-ins/Array)
	@test -d "$(TEST262)/harness" || { echo "TEST262 must be a folder with a checkout of test262 (harness and test)" >&2; exit 1; }
	KINTSUGI_TEST262=$(abspath $(TEST262)) $(GO) test ./internal/sandbox/process -run 'TestConformance$$' -count 1 -timeout 3h -v

.PHONY: language
language: ## Ask Node what it makes of the expressions of testdata/language, which a test compares with what scripts get
	TZ=UTC node tools/language.mjs

.PHONY: generate
generate: ## Make the code of the EventStoreDB protocol from its .proto files
	tools/generate.sh

# The page is built into web/dist, which is committed, so that everybody else needs Go alone. The lock file is the only
# word on what it is made of; nothing that comes with it is run when it is installed.
NPM_CI = cd web && npm ci --ignore-scripts --no-audit --no-fund

web/node_modules/.package-lock.json: web/package-lock.json
	@tools/need-chromium.sh
	$(NPM_CI)

.PHONY: web
web: ## Build the page anew (needs Node.js and npm)
	$(NPM_CI)
	cd web && npm run build

.PHONY: web/api
web/api: build web/node_modules/.package-lock.json ## Make the types of the API that the page is written against (web/src/api/schema.ts)
	cd web && node tools/api.mjs

.PHONY: web/check
web/check: build web ## Fail if what is committed in web/dist is not what its source gives, or the API is another one
	cd web && node tools/api.mjs --check
	@test -z "$$(git status --porcelain web/dist)" || { git status --short web/dist; echo "web/dist is not what web/src gives: run 'make web', and commit it" >&2; exit 1; }

.PHONY: test/web
test/web: build web/node_modules/.package-lock.json ## The page in a real browser: its stories, axe, hostile content, a server that is killed (two minutes)
	@tools/need-chromium.sh
	cd web && npm test && npm run test:page

# What a change elsewhere breaks first: who signs in sees the three stories of the demo, and their proof.
.PHONY: test/page
test/page: build web/node_modules/.package-lock.json ## Only what the page computes, and the demo's stories on it
	@tools/need-chromium.sh
	cd web && npm test && npm run test:smoke

.PHONY: bench/web
bench/web: build web/node_modules/.package-lock.json ## How fast the page is, with 100,000 workflows (docs/benchmarks.md; some minutes)
	@tools/need-chromium.sh
	cd web && npm run bench

.PHONY: web/shots
web/shots: build web/node_modules/.package-lock.json ## Make the pictures of docs/images anew, and of all other pages in bin/shots
	@tools/need-chromium.sh
	cd web && KINTSUGI_SHOTS=../bin/shots npm run test:page -- e2e/everybody.test.ts
	for picture in docs/images/*.png; do cp "bin/shots/$${picture##*/}" docs/images/ || exit 1; done

.PHONY: cldr
cldr: ## Write the tables of dates and numbers anew from the CLDR of Node.js 20's ICU
	node internal/sandbox/webapi/cldr/generate.mjs

.PHONY: libraries
libraries: ## Make the libraries that scripts import from their npm packages (internal/sandbox/library/npm)
	cd internal/sandbox/library/npm && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

.PHONY: testdata/webapi
testdata/webapi: ## Ask Node.js 20 what the snippets of the standard web API give (testdata/webapi)
	node testdata/webapi/expected.mjs

.PHONY: fuzz
fuzz: ## Fuzz each fuzz target for FUZZTIME (default 20s)
	tools/fuzz.sh $(FUZZTIME)

.PHONY: tidy
tidy: $(LINT) ## Tidy go.mod and format the code
	$(GO) mod tidy
	$(LINT) fmt

.PHONY: release
release: ## Make archives, packages and an image of this version in bin/release (TARGETS, RELEASE_KEY: tools/release.sh)
	GO="$(GO)" tools/release.sh "$(VERSION)" "$(COMMIT)"

.PHONY: test/release
test/release: release ## Install what `make release` makes, and play the demo with each
	tools/test-release.sh

.PHONY: verify/clean
verify/clean: ## `make demo` and `make test` in a fresh clone of HEAD with empty caches
	tools/verify-clean.sh
