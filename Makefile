# Everything runs from .venv, which `make` builds itself from the hashed lock.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
PYTEST := $(BIN)/python -m pytest

.PHONY: help setup demo test test-slow lint format bench look soak fuzz lock clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(STAMP): requirements.lock pyproject.toml deploy/setup.sh
	PYTHON=$(PYTHON) sh deploy/setup.sh
	@touch $@

setup: $(STAMP) ## the environment: .venv, the locked packages, a headless browser

demo: $(STAMP) ## the whole chain on the stand-in market, ending with a weekly report
	$(BIN)/suanjia demo

test: $(STAMP) lint ## lint, types, unit tests and one end-to-end run (under ten minutes)
	$(PYTEST) -m "not slow" -n 2 --dist worksteal -q

test-slow: $(STAMP) ## kills, all providers, the second DuckDB line, soak, docs (under 35 minutes)
	$(PYTEST) -m slow -n 2 --dist worksteal -q --timeout 1200

lint: $(STAMP) ## ruff, mypy strict, the import arrows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMP) ## let ruff format and fix what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## every performance claim, as a ratio to a baseline in the same run
	for file in benchmarks/bench_*.py; do echo "== $$file"; PYTHONPATH=. $(BIN)/python $$file || exit 1; done

look: $(STAMP) ## screenshots of every output in build/look
	SUANJIA_LOOK=build/look $(PYTEST) -m browser tests/reports/issue/test_look.py -q

soak: $(STAMP) ## scheduled weeks on the stand-in market with faults; checks what must hold at the end
	$(BIN)/python -m benchmarks.soak --minutes 14

fuzz: $(STAMP) ## a million inputs for every reader of outside bytes (hours)
	SUANJIA_FUZZ=1000000 $(PYTEST) tests/fuzz --timeout 0 -q

lock: ## write requirements.lock anew (needs uv)
	uv pip compile --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-annotate \
	  --extra dev pyproject.toml -o requirements.lock

clean: ## remove the environment and the demo's data
	rm -rf .venv var build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
