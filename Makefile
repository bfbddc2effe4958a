PYTHON ?= python3
BIN := .venv/bin

.PHONY: help install run test check format lock bench pictures clean

help:  ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: .venv/installed  ## create .venv with everything, at the locked versions

.venv/installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Parley needs Python 3.11 or newer; choose one with: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

run: install  ## start Parley: in Slack if .env has its tokens, else in a Slack of its own in the browser
	$(BIN)/parley run

# What loads the whole machine by itself, and prints how long it took.
ALONE := tests/crash tests/test_fresh_clone.py

test: install  ## run every test, with branch coverage
	$(BIN)/pytest --cov --cov-report= -n auto --maxprocesses 4 --dist worksteal $(ALONE:%=--ignore=%)
	$(BIN)/pytest --cov --cov-append --cov-report=term:skip-covered $(ALONE)

check: install  ## check format, lint and strict types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install  ## format, and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install  ## print the measurements (not tests: this machine's noise is in them)
	$(BIN)/python -m tests.benchmarks.paused_threads
	$(BIN)/python -m tests.benchmarks.long_threads
	$(BIN)/python -m tests.benchmarks.journal
	$(BIN)/python -m tests.benchmarks.slack

pictures: install  ## make the README's pictures anew (needs chromium)
	$(BIN)/python -m tests.browser.pictures

lock:  ## pin every dependency anew (needs uv)
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --python-version 3.11 \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate --quiet --upgrade -o requirements.lock

clean:  ## remove what these commands made (never a database)
	rm -rf .venv build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
