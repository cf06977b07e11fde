# Elsewhere: every common task, and all of its set-up, in one command each.
# `make help` lists them. Nothing outside this folder is changed, except system packages (a browser
# for the page tests, OpenGL libraries) that are missing and that the system lets us install.

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
INSTALLED := $(VENV)/.installed
GRAPHICS := $(VENV)/.graphics
KERNELS := $(VENV)/.kernels
PAGE := src/elsewhere/server/static/index.html
MESSAGES := web/src/messages.ts
MODULES := web/node_modules/.installed
BENCH := bench/.venv/.installed
ARGS ?=

WEB_SOURCES := $(shell find web -name node_modules -prune -o -type f ! -name messages.ts \
    ! -name '*.test.ts' ! -name README.md -print 2>/dev/null)
KERNEL_SOURCES := $(shell find src -name '_*kernels.py' 2>/dev/null)
NPM := scripts/npm.sh
# `npm ci` refuses a lock file without the packages of other platforms, which some registries lack;
# `npm install` then takes the locked versions all the same.
QUIET := --no-audit --no-fund --loglevel=error

export MUJOCO_GL ?= $(shell [ "$$(uname)" = Linux ] && echo egl || echo glfw)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-python test-web setup setup-run setup-test lint bench web clean distclean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup-run ## start an avatar and its operator page (make run ARGS="--port 9000")
	@exec $(BIN)/elsewhere run $(ARGS)

test: setup-test test-python test-web ## run every test, those of the pages in a real browser too (make test ARGS="-k guard")

test-python: setup-test
	@scripts/test.sh $(PY) $(ARGS)

test-web: $(MODULES) $(MESSAGES)
	@cd web && ../$(NPM) test

lint: $(INSTALLED) $(MODULES) $(MESSAGES) ## check style, types and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@cd web && ../$(NPM) exec -- tsc --noEmit

bench: $(BENCH) ## measure speed against peers, in an environment of its own (ARGS="--json")
	@bench/.venv/bin/python -m bench $(ARGS)

web: $(PAGE) ## build the web client

setup: setup-test ## install everything, start nothing

setup-run: $(INSTALLED) $(GRAPHICS) $(KERNELS) $(PAGE)

setup-test: setup-run $(MODULES)
	@scripts/browser.sh

$(INSTALLED): pyproject.toml scripts/python.sh
	@scripts/python.sh $(VENV) '.[dev]'
	@touch $@

$(GRAPHICS): $(INSTALLED) scripts/graphics.sh
	@scripts/graphics.sh $(PY) && touch $@ || true

$(KERNELS): $(KERNEL_SOURCES) $(INSTALLED) scripts/kernels.py
	@echo 'Compiling the control loop (about two minutes, when it has changed)…'
	@$(PY) scripts/kernels.py
	@touch $@

$(MESSAGES): src/elsewhere/messages.py src/elsewhere/overlay_messages.py $(INSTALLED)
	@$(PY) -m elsewhere.server.typescript --out $@
	@touch $@

$(MODULES): web/package.json web/package-lock.json | $(INSTALLED)
	@echo 'Installing the packages of the web client (about 20 seconds, once)…'
	@cd web && ../$(NPM) ci $(QUIET) >/dev/null 2>&1 || ../$(NPM) install --no-save $(QUIET)
	@touch $@

$(PAGE): $(WEB_SOURCES) $(MODULES) $(MESSAGES)
	@echo 'Building the web client (a few seconds, when it has changed)…'
	@cd web && ../$(NPM) run --silent build -- --logLevel warn
	@touch $@

$(BENCH): bench/requirements.txt pyproject.toml scripts/python.sh
	@scripts/python.sh bench/.venv . --no-deps
	@# Pinocchio is older than Elsewhere asks for, on purpose: see bench/requirements.txt.
	@bench/.venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-warn-conflicts \
	    -r bench/requirements.txt
	@touch $@

clean: ## remove what was built
	@rm -rf build dist out src/elsewhere/server/static $(MESSAGES) .pytest_cache .mypy_cache .ruff_cache
	@rm -rf .hypothesis .import_linter_cache MUJOCO_LOG.TXT $(KERNELS)
	@find src tests bench -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## remove what was built and what was installed
	@rm -rf $(VENV) bench/.venv web/node_modules
