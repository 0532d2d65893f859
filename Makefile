# make demo | test | check | bench: each sets itself up. PYTHON=python3.12 chooses the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: demo test test-cluster test-rehearsal check format bench lock clean help

help:
	@echo "make demo    compile an example job and show the manifests"
	@echo "make test    every test that needs neither torch nor a cluster"
	@echo "make test-cluster    every golden on a real API server with its controllers; builds Kubernetes once"
	@echo "make test-rehearsal  real launchers in namespaces of this machine; installs torch once (4.5 GB)"
	@echo "make check   types, style and the layers"
	@echo "make bench   speed, beside TorchX"

# One venv inside the checkout, from the lock file; made again when the lock or the project file changes.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "trainc needs Python 3.11 or newer; this is $$($(PYTHON) --version). Name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "python can't make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q compiler
	@touch $@

demo: $(READY)
	@$(BIN)/trainc compile examples/torchrun.yaml --summary

test: $(READY)
	$(BIN)/python -m pytest -n auto $(ARGS)

# Needs etcd, and Go or KUBEBUILDER_ASSETS; or TRAINC_CLUSTER: docs/cluster-tests.md
test-cluster: $(READY)
	$(BIN)/python -m pytest tests/cluster $(ARGS)

# Needs Linux, root or user namespaces, iproute2 and util-linux.
# Real launchers, in a Python with torch that is kept outside the checkout (4.5 GB).
test-rehearsal: $(READY)
	@python=$$($(BIN)/python tools/rehearsal_python.py) && \
	  TRAINC_REHEARSAL_PYTHON=$$python $(BIN)/python -m pytest -n 2 tests/rehearsal $(ARGS)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m bench.instructions --check
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/readme.py --check
	$(BIN)/python -m tools.errors --check
	$(BIN)/python -m tools.imports --check
	$(BIN)/python tools/equivalence.py --check
	$(BIN)/python tools/plan_page.py --check
	$(BIN)/python -m tools.deepspeedjob_crd --check
	$(BIN)/python tools/rehearse_page.py --check

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m bench

# Pins everything, for every Python that trainc supports. Needs the network.
lock: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --group dev \
	  --no-header --no-annotate -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .tools .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
