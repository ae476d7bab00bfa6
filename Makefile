# make demo · make test · make check: each does its own set-up on a fresh machine.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-full lint check format samples bench clean
.DEFAULT_GOAL := demo

$(READY): pyproject.toml Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "trainreport needs Python 3.11 or newer; run make PYTHON=python3.12 (found: $$($(PYTHON) --version))"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

# WeasyPrint draws text with Pango, a system library. Installed where we may, else the command is printed.
pango: $(READY)
	@$(BIN)/python -c 'import weasyprint' 2>/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -y -qq libpangoft2-1.0-0 libharfbuzz-subset0 >/dev/null; \
	  else \
	    $(BIN)/python -c 'from trainreport._optional import pango_command; print("PDF output needs Pango, which is not installed:\n ", pango_command())'; exit 1; \
	  fi; }
.PHONY: pango

demo: $(READY) pango
	$(BIN)/trainreport demo

test: $(READY) pango
	$(BIN)/python -m pytest -q -n auto -m 'not full'

test-full: $(READY) pango
	$(BIN)/python -m pytest -q -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

samples:  # makes sample_runs/*/logs again; its requirements are its own
	$(PYTHON) -m venv .venv-samples
	.venv-samples/bin/pip install --quiet --requirement sample_runs/requirements.txt
	.venv-samples/bin/python sample_runs/make_samples.py

bench: $(READY) pango
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.notebook
	$(BIN)/python -m benchmarks.profiles

clean:
	rm -rf $(VENV) .venv-samples trainreport-out dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
