# make demo | test | check | bench: each creates its environment first. PYTHON=python3.12 selects the interpreter.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
SLOWEST := --durations=10 --durations-min=1

.PHONY: help demo test test-all coverage test-pythons test-cluster test-rehearsal check dist release-check format bench \
  site playground lock clean

help:
	@echo "make demo            compile an example and print its manifests"
	@echo "make test            unit and acceptance tests, without those marked slow; no torch, no cluster"
	@echo "make test-all        the same with slow tests; prints the ten slowest"
	@echo "make coverage        the same with the coverage of each file, in three times the CPU time"
	@echo "make test-pythons    unit tests with every supported Python on this machine"
	@echo "make test-cluster    every golden manifest on a real API server with its controllers; builds Kubernetes once"
	@echo "make test-rehearsal  real launchers in network namespaces; installs torch once (4.5 GB)"
	@echo "make check           style, types, import layers, generated files, cold-start budget"
	@echo "make dist            build the files of a release: wheel, sdist, one file"
	@echo "make release-check   the same, then install and run each of them, the image, the hooks and the action"
	@echo "make format          apply the formatters"
	@echo "make bench           instructions, memory, and CPU time next to kubectl kustomize, kustomize, helm, TorchX"
	@echo "make site            build documentation and playground in build/site, and check links; needs npm"
	@echo "make playground      build the playground alone in build/playground; needs npm"
	@echo "make lock            pin every dependency again; needs the network"

# A virtual environment in the checkout, from the lock file; rebuilt when the lock or the project file changes.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "trainc requires Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version): run make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python has no venv module: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV) ..." >&2
	@# Without --no-deps, pip fails as soon as a package required with an extra has a newer release than the lock.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q compiler
	@touch $@

demo: $(READY)
	@$(BIN)/trainc compile examples/torchrun.yaml --summary

test: $(READY)
	$(BIN)/python -m pytest -n auto --quick $(SLOWEST) $(ARGS)

test-all: $(READY)
	$(BIN)/python -m pytest -n auto $(SLOWEST) $(ARGS)

coverage: $(READY)
	$(BIN)/python -m pytest -n auto --cov --cov-report=term:skip-covered $(ARGS)

# Each Python in an environment of its own. PYTHONS="python3.12" selects some.
PYTHONS ?= $(shell $(PYTHON) tools/pythons.py)
test-pythons:
	@for python in $(PYTHONS); do \
	  echo "$$python: tests/unit"; \
	  $(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$(basename $$python) ARGS="tests/unit -q -p no:cacheprovider $(ARGS)" || exit 1; \
	done

# Needs etcd and Go, KUBEBUILDER_ASSETS, or TRAINC_CLUSTER: docs/cluster-tests.md
test-cluster: $(READY)
	$(BIN)/python -m pytest -n 2 $(SLOWEST) tests/cluster $(ARGS)

# Needs Linux with user namespaces, iproute2, libseccomp and, for its tests, util-linux. torch is kept outside the checkout.
test-rehearsal: $(READY)
	@python=$$($(BIN)/python tools/rehearsal_python.py) && \
	  TRAINC_REHEARSAL_PYTHON=$$python $(BIN)/python -m pytest -n 4 $(SLOWEST) tests/rehearsal $(ARGS)

check: $(READY)
	$(BIN)/python -m pip check --disable-pip-version-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m bench.instructions --check
	$(BIN)/python -m tools.launcher_schema --check
	$(BIN)/python -m tools.reference --check
	$(BIN)/python -m tools.readme --check
	$(BIN)/python -m tools.errors --check
	$(BIN)/python -m tools.exit_codes --check
	$(BIN)/python -m tools.imports --check
	$(BIN)/python -m tools.equivalence --check
	$(BIN)/python -m tools.plan_page --check
	$(BIN)/python -m tools.deepspeedjob_crd --check
	$(BIN)/python -m tools.pod_security --check
	$(BIN)/python -m tools.llms --check
	$(BIN)/python -m tools.rehearse_page --check

dist: $(READY)
	@$(BIN)/python -m tools.dist

# test-all runs the same tests with files that it builds.
RELEASE_TESTS := packages release github_action ci_page recipes_container
release-check: dist
	TRAINC_DIST=$(CURDIR)/dist $(BIN)/python -m pytest $(SLOWEST) $(RELEASE_TESTS:%=tests/acceptance/test_%.py) $(ARGS)

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m bench

# MkDocs and Zensical have an environment of their own: nothing else needs them.
SITE_VENV := .venv-site
$(SITE_VENV)/ready: requirements-site.lock
	@test -x $(SITE_VENV)/bin/python || $(PYTHON) -m venv $(SITE_VENV)
	@echo "setting up $(SITE_VENV) ..." >&2
	@$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-site.lock
	@touch $@

site: $(READY) $(SITE_VENV)/ready
	@$(BIN)/python -m tools.site

playground: $(READY)
	@$(BIN)/python -m tools.playground

lock: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --group site \
	  --no-header --no-annotate -o requirements-site.lock
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --group dev \
	  --no-header --no-annotate -o requirements.lock pyproject.toml

clean:
	rm -rf dist build .venv .venv-* .tools playground/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
