# Two commands: `make demo` shows what qkv does, `make test` proves it. Both set up all that they need, and may be repeated.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check types unit extension editor-tests editor vsix bench docs clean

help: ## show the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(STAMP): pyproject.toml constraints-dev.txt
	@echo "== making $(VENV) and installing qkv with what its tests need (minutes on the first run)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints-dev.txt "torch" -e ".[dev]"
	@touch $@

demo: $(STAMP) ## set everything up, then check the examples, show shapes, a hover and the lessons
	@$(BIN)/python examples/demo.py

test: $(STAMP) check types unit extension editor-tests ## set everything up and run every check and test

check: $(STAMP) ## lint and format
	@echo "== ruff"
	@$(BIN)/ruff check server tests benchmarks
	@$(BIN)/ruff format --check server tests benchmarks

types: $(STAMP) vscode-extension/node_modules/.installed ## types, strict on the core
	@echo "== pyright"
	@cd vscode-extension && npx --no-install pyright --project ../pyproject.toml

unit: $(STAMP) ## the tests of the server, the course, the runner and the rules
	@echo "== pytest"
	@$(BIN)/python -m pytest -m "not editor" -n 2

vscode-extension/node_modules/.installed: vscode-extension/package-lock.json
	@echo "== installing the extension's tools"
	@cd vscode-extension && npm ci --no-audit --no-fund --silent && touch node_modules/.installed

extension: vscode-extension/node_modules/.installed ## types, lint and build of the extension
	@echo "== tsc, eslint, esbuild"
	@cd vscode-extension && npm run -s check && npm run -s build

editor-tests: $(STAMP) vsix ## the tests in real editors: VS Code's workbench and Neovim
	@echo "== editors"
	@bash vscode-extension/scripts/setup-editor.sh
	@$(BIN)/python -m pytest -m editor

editor: $(STAMP) vsix ## open a full VS Code in the browser with the extension and the examples
	@bash vscode-extension/scripts/setup-editor.sh
	@bash vscode-extension/scripts/open-editor.sh

vsix: $(STAMP) vscode-extension/node_modules/.installed ## the extension as one file
	@bash vscode-extension/scripts/make-vsix.sh

bench: $(STAMP) ## speed, as ratios to other programs on the same machine
	@$(BIN)/python benchmarks/run.py

docs: $(STAMP) ## write the generated pages again
	@$(BIN)/python -m qkv.ide.pages docs/diagnostics

clean: ## remove what was built here
	rm -rf $(VENV) dist build vscode-extension/dist vscode-extension/node_modules
