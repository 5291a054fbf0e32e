# Two commands matter: `make demo` and `make test`. Both make what they need in .venv first.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-opencv lint bench bench-balance bench-referee bench-crowd clean hardware models pi pi-update pi-rollback pi-backup pi-restore

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

# The tests start many processes: what is compiled once is kept, whatever the environment says.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist worksteal --ignore tests/bench

# The oldest and the newest OpenCV that are promised, each in an environment of its own.
test-opencv: .venv-opencv-4.11/.dev .venv-opencv-5.0/.dev
	.venv-opencv-4.11/bin/python -m pytest -p no:xdist tests/vision
	.venv-opencv-5.0/bin/python -m pytest -p no:xdist tests/vision

.venv-opencv-%/.dev: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' 'opencv-python-headless==$*.*'
	touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m pytest tests/bench --benchmark-columns=median,iqr,ops -p no:xdist -s

# Simulated matches with mistakes of every kind, and what the referee made of them; MATCHES=500 is the full proof.
MATCHES ?= 30
bench-referee: $(VENV)/.base
	OPENCV_FOR_THREADS_NUM=1 OMP_NUM_THREADS=1 $(BIN)/python -P -m companion.simulator.bench_referee --matches $(MATCHES)

# How well crashes are foretold: on the shared trials, or on TIPS=FILE of the same columns. The report and its plot go to
# build/balance.
TIPS ?=
bench-balance: $(VENV)/.dev
	TIPS="$(TIPS)" $(BIN)/python -m pytest tests/bench/test_bench_balance.py --benchmark-columns=min,median,ops -p no:xdist -s

# A real table on a Raspberry Pi: apt packages, user, release, service. Again and again without harm. See hardware/README.md
ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
WITHOUT ?=
PORT ?= 8000
pi:
	$(ROOT) env WITHOUT="$(WITHOUT)" PORT="$(PORT)" hardware/pi/install.sh

pi-update:
	git pull --ff-only
	$(MAKE) pi

pi-rollback:
	$(ROOT) hardware/pi/rollback.sh

pi-backup:
	$(ROOT) hardware/pi/backup.sh "$(TO)"

pi-restore:
	$(ROOT) hardware/pi/restore.sh "$(FROM)"

# Pages and drawings that must agree with the program
hardware: $(VENV)/.base
	$(BIN)/python hardware/make_pages.py

# The printed parts with a table's measures, as STL and as pictures; needs openscad and xvfb (apt)
TABLE ?= hardware/pi/table.toml
models: $(VENV)/.base
	$(BIN)/python hardware/models/make_models.py "$(TABLE)" build/models --pictures
# 200 spectators on the event stream while a game is played: how late the last of them hears, how much memory that takes.
bench-crowd: $(VENV)/.dev
	$(BIN)/python -P -m tests.bench.crowd

clean:
	rm -rf $(VENV) .venv-opencv-* build *.egg-info
