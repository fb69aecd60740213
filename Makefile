# Placard. `make` alone prints what there is.
.DEFAULT_GOAL := help
.PHONY: help setup run env test test-fast test-for test-one budgets test-long test-faults test-clients test-python test-drills test-alerts test-fleet test-upgrade test-report-store test-compiled compile compile-c sanitize fuzz mutate mutate-uses check format lint types load web-library openapi libraries demo screenshots dashboard-pictures lock verified release images pin-images test-images compose-up compose-down test-compose test-kubernetes clean
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
# A stack is a dozen processes, and each would compile the sources anew that it imports: a third of its start.
unexport PYTHONDONTWRITEBYTECODE

PYTHON := .venv/bin/python
RUN_ENVIRONMENT := requirements/install.sh run
WHOLE_ENVIRONMENT := requirements/install.sh all
# Tests wait half of their time, so there are three processes more than cores. Each starts servers of its own: 1 GB or so.
PROCESSES ?= $(shell n=$$(nproc); echo $$((n > 2 ? 5 : n + 3)))
PYTEST := $(PYTHON) -m pytest -n $(PROCESSES)
USUAL := not long and not faults and not toolchains and not containers and not drills and not fleet and not upgrade and not report_store
# `make check` runs these, so that `make test AFTER_CHECK=1` leaves them out.
CHECKS := tests/architecture tests/contract/test_generated.py tests/control/reporting/reports/test_metrics.py
# The compiled run leaves out what calls no compiled module: own processes, Redis, disks, other parts of HTTP.
NOT_COMPILED := $(addprefix --ignore=tests/, common/service \
	$(addprefix common/http/test_, connections.py deadlines.py listen.py request_body.py router.py) \
	$(addprefix common/privacy/test_, agent_corpus.py children.py consent.py consent_fuzz.py consent_oracle.py user_agent.py) \
	$(addprefix edge/http/test_, from_source.py hostile_clients.py) \
	$(addprefix edge/runtime/test_, gc_policy.py huge_pages.py listening_socket.py loop_lag.py metrics_text.py rates.py \
		renewal.py supervisor.py worker_metrics.py worker_starts.py) \
	$(addprefix edge/snapshots/test_, age.py fallback.py lossy_notifications.py reports.py state.py sync_loop.py sync_state.py) \
	$(addprefix edge/spool/test_, orphan.py retention.py ship_on_redis.py spool.py) \
	$(addprefix edge/state/test_, ip_lists.py redis_batcher.py) \
	$(addprefix control/events/ingest/test_, consumer.py consumer_split.py days.py partitions.py process.py progress.py sequences.py) \
	$(addprefix control/delivery/pacing/test_, leases_ahead.py pace_publish_policy.py spending_by_plan.py traffic.py))

COMPILED_TESTS := tests/common tests/edge tests/control/delivery/pacing tests/control/events/ingest tests/deploy/test_compiled.py
# `make test-compiled` runs these, so that `make test BEFORE_COMPILED=1` leaves them out.
NOT_HERE = $(filter-out $(patsubst --ignore=%,%,$(NOT_COMPILED)) $(patsubst --ignore=%,%/%,$(NOT_COMPILED)), \
	$(shell find $(COMPILED_TESTS) -name 'test_*.py'))

# These compare documents and an oracle in JavaScript, alike on every version; Debian's root directory has neither git nor Node.
NOT_ON_PYTHONS := $(addprefix --ignore=tests/, docs architecture/test_retired.py common/privacy/test_consent_oracle.py)
# What differs between versions: the C modules, asyncio, HTTP. `make test-python AFTER_TEST=1` runs no others, and leaves out
# what mostly waits for processes and servers of its own, or, such as stitching and mails, differs little.
PYTHON_DEPENDENT := $(addprefix tests/, common edge contracts) --ignore-glob=*_connections.py --ignore-glob=*_security.py \
	$(addprefix --ignore=tests/edge/, runtime stitching audio scenario email http/test_from_source.py)

# The tests of the C modules. The interpreter leaks by design, its own allocator hides what is read beyond an object, and the
# sanitizers' library must be loaded before it.
NATIVE_TESTS := $(addprefix tests/, edge/fastpath edge/http/test_fast_serve.py edge/spool/test_serve_counter.py fuzz \
	common/decision/test_splitmix64.py common/snapshot/test_fast_decode.py common/tracking/test_token_hmac.py \
	control/events/ingest/test_rows.py control/events/ingest/test_scan.py deploy/test_compiled.py)
SANITIZED = PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)"

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Create .venv with all dependencies for development, and download Kafka
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m deploy.standalone fetch-kafka

run: ## Run everything on this machine with demo data (KAFKA=1: with a Kafka broker)
	@$(RUN_ENVIRONMENT)
	@exec $(PYTHON) -m deploy.standalone --stop-with-parent

demo: ## Print the addresses and keys of the running stack
	@$(RUN_ENVIRONMENT)
	@$(PYTHON) -m deploy.standalone show

env: ## Print the running stack as export lines, for eval "$(make -s env)"
	@$(PYTHON) -m deploy.standalone env

test: setup compile-c ## Run all tests against real servers and print the slowest (ARGS="-k word" selects some)
	@echo "==> pytest"
	@$(PYTEST) -m "$(USUAL)" --durations=30 --budgets=print $(addprefix --ignore=,$(if $(AFTER_CHECK),$(CHECKS)) $(if $(BEFORE_COMPILED),$(NOT_HERE))) $(ARGS)

test-fast: setup ## Run the tests that need no server
	@echo "==> pytest, without servers"
	@$(PYTEST) -m "$(USUAL) and not servers" $(ARGS)

test-one: ## Run one file or test in one process: T=tests/path.py::test_name
	@$(WHOLE_ENVIRONMENT)
	@test -n "$(T)" || { echo 'Name a test: make test-one T=tests/path.py::test_name' >&2; exit 2; }
	@$(PYTHON) -m pytest $(T) $(ARGS)

test-for: ## Run the tests that your change touches, nearest first, for 30 s (BASE=main SECONDS=30)
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m tests.affected --base $(or $(BASE),main) --seconds $(or $(SECONDS),30) -- -n $(PROCESSES) $(ARGS)

budgets: setup ## Run all tests, and fail if a folder takes twice its time in tests/budgets.toml
	@echo "==> pytest, budgets"
	@$(PYTEST) -m "$(USUAL)" --durations=30 --budgets=hold $(ARGS)

compile: ## Compile the modules of the hot paths to C, for PLACARD_COMPILED=1
	@$(WHOLE_ENVIRONMENT)
	@echo "==> compile"
	@$(PYTHON) -m deploy.compile

compile-c: ## Compile the C modules, for PLACARD_COMPILED=c; a few seconds, once for each version of the sources
	@$(WHOLE_ENVIRONMENT)
	@echo "==> compile, C alone"
	@$(PYTHON) -m deploy.compile --c-only

test-compiled: setup compile ## Run the tests of the compiled modules
	@echo "==> pytest, compiled"
	@PLACARD_COMPILED=1 $(PYTEST) -m "$(USUAL)" --durations=30 $(NOT_COMPILED) $(COMPILED_TESTS) $(ARGS)

test-long: setup ## Run the tests with large counts
	@echo "==> pytest, large counts"
	@$(PYTHON) -m pytest -m long $(ARGS)

test-clients: setup ## Build and test client libraries, run the guides' Go and PHP, and test API clients from generators (ARGS="go java" selects of these)
	@echo "==> client libraries"
	@$(PYTHON) -m pytest -m toolchains tests/clients tests/control/dashboard/test_guide_examples.py
	@echo "==> generated clients"
	@$(PYTHON) -m tests.generated_clients.run $(ARGS)

test-python: setup ## Run unit and contract tests on the other versions of Python (VERSIONS=3.13: on one)
	@$(PYTHON) -m deploy.pythons $(if $(VERSIONS),--versions $(VERSIONS)) -- \
		-n $(PROCESSES) -m "$(USUAL) and (not servers or contracts)" $(NOT_ON_PYTHONS) $(if $(AFTER_TEST),$(PYTHON_DEPENDENT)) $(ARGS)

test-faults: setup ## Inject faults under traffic for minutes; prints each seed and count
	@echo "==> pytest, faults"
	@$(PYTHON) -m pytest -m faults -s $(ARGS) tests/faults

test-drills: setup ## Take servers, disks and key files away from real stacks; prints loss and recovery of each
	@echo "==> pytest, drills"
	@$(PYTHON) -m pytest -m drills -s $(ARGS) tests/deploy/test_drills.py

test-alerts: setup ## Make each alert fire on a real stack by breaking the thing; prints the seconds until it fires
	@echo "==> pytest, alerts"
	@$(PYTHON) -m pytest -m drills -s $(ARGS) tests/deploy/alerts

test-fleet: setup ## Kill, freeze and cut off each part of a fleet in three zones under load; needs root
	@echo "==> pytest, fleet"
	@$(PYTHON) -m pytest -m fleet -s $(ARGS) tests/fleet

test-upgrade: setup compile-c ## Upgrade a running stack under load, back, and again (FROM=NAME of deploy/releases)
	@echo "==> pytest, upgrade"
	@UPGRADE_FROM=$(FROM) $(PYTHON) -m pytest -m upgrade -s $(ARGS) tests/upgrade

test-report-store: setup ## Run the tests of the report store with ClickHouse's engine, which it installs into build/clickhouse
	@requirements/alone.sh clickhouse
	@echo "==> pytest, report store"
	@$(PYTHON) -m pytest -q -m report_store $(ARGS) tests/control/reporting

sanitize: setup ## Run the tests of the C modules and the fuzzing corpus under AddressSanitizer and UBSan
	@echo "==> sanitizers"
	@$(PYTHON) -m deploy.compile --sanitize
	@PLACARD_COMPILED=sanitized $(SANITIZED) $(PYTEST) -q -m "$(USUAL) and not servers" $(NATIVE_TESTS) $(ARGS)

fuzz: setup ## Fuzz the C that parses untrusted bytes: ten million inputs a target (SECONDS=60: a minute in all)
	@echo "==> fuzzers"
	@$(PYTHON) -m tests.fuzz.run $(if $(SECONDS),--seconds $(SECONDS)) $(ARGS)

mutate: setup ## Change random lines of common/ and edge/, and print the changes that no test notices (ARGS="--count 20")
	@echo "==> mutations"
	@$(PYTHON) -m tests.mutation $(ARGS)

mutate-uses: setup ## Remove each use of a name, and print the removals that its quick tests miss (NAME=external_ref OF=field)
	@test -n "$(NAME)" || { echo 'Name what to remove, and what it is: make mutate-uses NAME=external_ref OF=field' >&2; exit 2; }
	@echo "==> removals"
	@$(PYTHON) -m tests.removals $(NAME) --of "$(or $(OF),field)" $(ARGS)

check: lint types ## Check style, types, architecture and generated files
	@echo "==> architecture, and what follows from declarations"
	@$(PYTHON) -m pytest $(CHECKS) -q
	@echo "==> docs/openapi.json is fresh"
	@$(PYTHON) -m control openapi --check
	@echo "==> rules and dashboards are fresh"
	@$(PYTHON) -m deploy.observability --check
	@echo "==> clients/web/dist is fresh"
	@clients/web/build.sh --check

lint: ## Check style and format
	@$(WHOLE_ENVIRONMENT)
	@echo "==> ruff check"
	@$(PYTHON) -m ruff check
	@echo "==> ruff format --check"
	@$(PYTHON) -m ruff format --check

types: ## Check types
	@$(WHOLE_ENVIRONMENT)
	@echo "==> mypy"
	@$(PYTHON) -m mypy

format: ## Format the code and apply safe fixes
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m ruff check --fix-only
	@$(PYTHON) -m ruff format

bench-serve bench-serve-scale bench-serve-swap bench-decide bench-snapshot bench-ingest bench-lease bench-track bench-vast bench-email measure-leases: compile
bench-serve bench-serve-scale bench-serve-swap bench-decide bench-snapshot bench-ingest bench-lease bench-track bench-vast bench-email measure-leases: COMPILED := 1

bench-%: setup ## Run one benchmark: bench-serve, bench-track, bench-loop
	@echo "==> bench-$*"
	@PLACARD_COMPILED=$(COMPILED) $(PYTHON) -m loadtests.bench.$(subst -,_,$*) $(ARGS)

measure-%: setup ## Measure worst cases against their limits: measure-parsers, measure-bodies, measure-leases, measure-stitch; of the running stack: measure-pages
	@echo "==> measure-$*"
	@PLACARD_COMPILED=$(COMPILED) $(PYTHON) -m loadtests.measure.$(subst -,_,$*) $(ARGS)

load-% load: export LOAD_WORKERS := $(or $(WORKERS),$(LOAD_WORKERS))

load: ## Run Locust for a minute against the running stack, and judge errors, times and stored data (WORKERS=4, LOAD_MIX=podcast)
	@$(WHOLE_ENVIRONMENT)
	@echo "==> locust"
	@$(PYTHON) -m loadtests.run ramp

load-%: ## Another shape of load: load-soak (an hour), load-spike, load-break (steps until the objective is missed); load-worker (LOAD_MASTER=ADDRESS): workers for another machine's load
	@$(WHOLE_ENVIRONMENT)
	@echo "==> locust, $*"
	@$(PYTHON) -m loadtests.run $*

web-library: ## Build the web library into clients/web/dist, which is committed
	@clients/web/build.sh

openapi: ## Write docs/openapi.json, and the parts of other files that follow from declarations
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m control openapi
	@$(PYTHON) -m tests.contract.generated

libraries: ## Write what is generated in the client libraries from the description, and docs/libraries.md; make release does so
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m clients.generate
	@$(PYTHON) -m tests.contract.generated libraries
	@$(PYTHON) -m tests.clients.libraries
	@clients/node/build.sh

screenshots: ## Take the screenshots of the README and of the main pages from a temporary stack
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m deploy.pictures

dashboard-pictures: ## Draw the dashboards of Grafana from the queries of a temporary stack under load
	@$(WHOLE_ENVIRONMENT)
	@$(PYTHON) -m deploy.observability.pictures

lock: ## Resolve the dependencies again into requirements/*.lock
	@$(WHOLE_ENVIRONMENT)
	@echo "==> locking"
	@requirements/lock.sh

verified: ## List the outdated checks of docs/verified.md
	@$(PYTHON) -m deploy.verified

release: setup ## Release VERSION=0.3.0: set the version, build, date the changelog, commit, tag
	@echo "==> release $(VERSION)"
	@$(PYTHON) -m deploy.release "$(VERSION)"

images: setup ## Build the container images of control plane, edge and command line, and run each once (ARGS=--c-only)
	@echo "==> images"
	@$(PYTHON) -m deploy.images build $(ARGS)

pin-images: setup ## Write the digests of public images into the Dockerfile and the compose file; needs a registry
	@$(PYTHON) -m deploy.images pin

test-images: setup ## Build the images twice, compare and run them
	@echo "==> pytest, images"
	@$(PYTHON) -m pytest -m containers -s $(ARGS) tests/deploy/images

compose-up: setup ## Run everything in containers by deploy/compose (ARGS="--profile grafana")
	@$(PYTHON) -m deploy.compose up $(ARGS)

compose-down: setup ## Stop these containers; keeps the data (ARGS=--volumes removes it)
	@$(PYTHON) -m deploy.compose down $(ARGS)

test-compose: images ## Build the images, bring the containers up, run the README's commands against them, and upgrade those of the last release in place
	@echo "==> pytest, compose"
	@$(PYTHON) -m pytest -m containers -s $(ARGS) tests/deploy/compose

test-kubernetes: setup ## Check the Kubernetes manifests by schemas of three versions, Checkov's rules and a real API server, and run their pods
	@echo "==> pytest, Kubernetes"
	@$(PYTHON) -m pytest -q $(ARGS) tests/deploy/test_kubernetes.py tests/deploy/test_api_server.py tests/deploy/test_pods.py
	@echo "==> Checkov"
	@deploy/kubernetes/checkov.sh

clean: ## Remove installed packages and caches; keeps the data in var/
	rm -rf .venv build/native build/pythons deploy/kafka/lib .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
