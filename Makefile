# Two commands matter: `make demo` and `make test`. Both make what they need in .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean

$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,tournament]'
	touch $@

# A simulated table: the page comes up at http://127.0.0.1:8000
demo: $(VENV)/.base
	$(BIN)/senryaku demo --mistakes

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --ignore tests/bench

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m pytest tests/bench --benchmark-columns=median,iqr,ops -p no:xdist -s

clean:
	rm -rf $(VENV) build *.egg-info
