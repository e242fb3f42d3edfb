# The only commands to remember. Each does all its own set-up.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
READY  := $(VENV)/.ready
DEMO   ?= demo

# The matrices here are small: with more threads than free cores, BLAS only spins.
export OPENBLAS_NUM_THREADS := 1

.PHONY: install demo docs pictures test test-long check fix example bench clean

install: $(READY)  ## .venv with all that development needs

$(CORE): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "kostra needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(READY): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(CORE)  ## a small dataset from sentences to report.html, with simulated annotators
	$(BIN)/kostra demo $(DEMO)

docs: $(CORE)  ## the documentation as pages in site/
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "made site/: open site/index.html"

pictures: $(READY)  ## the documentation's pictures, taken anew from the running product
	$(BIN)/python -m docs.making.pictures

test: $(READY)  ## everything but the long runs; under ten minutes
	$(BIN)/pytest -n auto -m 'not long'

test-long: $(READY)  ## crash, rehearsal and documentation runs
	$(BIN)/pytest -m long

check: $(READY)  ## format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) test

fix: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

example: $(READY)  ## make the finished dataset in examples/ anew
	$(BIN)/python -m examples

bench: $(READY)  ## side by side with peers; prints ratios and growth
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) $(DEMO) site .pytest_cache .mypy_cache .ruff_cache
