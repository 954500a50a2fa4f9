# Every task of this project. `make run` and `make test` need nothing but Python 3.11, Node.js 20 and make beforehand.
# All paths are relative: the checkout may lie anywhere and have any name.

.DEFAULT_GOAL := help
.PHONY: help run test setup dev check fix unit types web ui e2e pictures bench mutants fuzz coverage docs site wheel lock clean
MAKEFLAGS += --no-print-directory

python := .venv/bin/python
prepare := @sh scripts/python.sh scripts/prepare.py
pytest := $(python) -m pytest
workers := -n 3 --dist worksteal
covered := src/talkfield/core/*,src/talkfield/runtime/*,src/talkfield/wire/*
reach := $(python) -m coverage report --include="$(covered)" --skip-covered --show-missing --fail-under=100

help: ## Show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name about; do printf '  %-11s %s\n' "$$name" "$$about"; done

run: ## Start Talkfield in the browser: make run ARGS="--port 8123 --no-browser"
	$(prepare) run ui
	@exec $(python) -m talkfield open $(ARGS)

test: ## Everything that has to pass, set-up included: every branch of the core reached, planted bugs caught
	$(prepare) dev web chromium nginx ui
	@$(MAKE) check
	@cd web && npm test
ifeq ($(strip $(ARGS)),)
	@$(python) scripts/mutants.py property:
	@$(pytest) $(workers) --cov --cov-report=
	@$(reach)
else
	@$(pytest) $(ARGS)
endif

setup: ## Get a checkout ready for development
	$(prepare) dev web ui

dev: ## Server and Vite development server with live reload (Ctrl-C ends both)
	$(prepare) dev web
	@exec $(python) scripts/dev.py $(ARGS)

check: ## Format, lint and types, in Python and TypeScript
	$(prepare) dev web
	@$(python) -m ruff format --check .
	@$(python) -m ruff check .
	@$(python) -m mypy
	@$(python) scripts/generate_types.py --check
	@cd web && npm run --silent check

fix: ## Format and repair what can be repaired by itself
	$(prepare) dev web
	@$(python) -m ruff format .
	@$(python) -m ruff check --fix .
	@cd web && npm run --silent fix

unit: ## Python tests without a browser; all of them reach every branch of the core: make unit ARGS="tests/core -k undo"
	$(prepare) dev
ifeq ($(strip $(ARGS)),)
	@$(pytest) $(workers) -m "not e2e" --cov --cov-report=
	@$(reach)
else
	@$(pytest) -m "not e2e" $(ARGS)
endif

types: ## Write web/src/wire/generated.ts, the golden frames and the drawing of the turn from the Python sources
	$(prepare) dev
	@$(python) scripts/generate_types.py && $(python) tests/wire/golden_frames.py && $(python) scripts/draw_turn.py

web: ## Tests of the web UI
	$(prepare) web
	@cd web && npm test

ui: ## Build the web UI if its sources changed
	$(prepare) run ui

e2e: ## Chromium against the installed wheel: make e2e ARGS="-k undo"
	$(prepare) dev web chromium nginx ui
	@$(pytest) -m e2e $(ARGS)

pictures: ## Take the pictures of the README and of the tour anew
	$(prepare) dev web chromium nginx ui
	@TALKFIELD_PICTURES=docs/images $(pytest) -m e2e tests/e2e/test_pictures.py

bench: ## Run the benchmarks, keep their figures with a date, compare with the last: make bench ARGS="window store"
	$(prepare) dev
	@$(python) benchmarks/run.py $(ARGS)

mutants: ## Plant known bugs one by one; each must make its test fail
	$(prepare) dev
	@$(python) scripts/mutants.py $(ARGS)

fuzz: ## Feed damaged streams to the decoders: make fuzz ARGS="--inputs 1000000"
	$(prepare) dev
	@$(python) scripts/fuzz_decoders.py $(ARGS)

coverage: ## Branch coverage of the Python tests
	$(prepare) dev
	@$(python) -m coverage run -m pytest -q -m "not e2e" $(ARGS)
	@$(python) -m coverage report --skip-covered

docs: ## Check that documentation and code agree
	$(prepare) dev
	@$(pytest) tests/docs tests/architecture tests/wire

site: ## Build the documentation as a site: .make/site/index.html
	$(prepare) dev
	@.venv/bin/zensical build --strict

wheel: ## Build wheel and sdist in dist/ with the UI inside, twice: both builds must be the same bytes
	$(prepare) dev web ui
	@$(python) scripts/release.py build

lock: ## Resolve requirements/*.txt again: make lock ARGS=--upgrade
	$(prepare) dev
	@test -x .make/uv/bin/uv || { $(python) -m venv .make/uv && .make/uv/bin/python -m pip install --quiet uv; }
	@.make/uv/bin/python scripts/lock.py $(ARGS)

clean: ## Remove all that was installed or built here
	@rm -rf .venv .make dist web/node_modules src/talkfield/server/static .mypy_cache .ruff_cache .hypothesis test-results
