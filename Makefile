# What a developer types; 'make help' lists it. Needs GNU make, bash and Python 3.11 or newer.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Another interpreter than the first of these that is new enough: make install PYTHON=python3.12
PYTHON ?=
PYTEST_ARGS ?=

.PHONY: help install dev models run test lint proto clean

help: ## List what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.installed ## Make .venv and install edge_clm into it

dev: $(VENV)/.developing

models: install ## Fetch and build the models of the default configuration
	$(BIN)/edge-clm models pull

run: install ## Fetch the models, start a daemon, ask about a real invoice, stop
	$(BIN)/python examples/tour.py

lint: dev ## Check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: lint models ## Check everything and run every test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

proto: dev ## Generate edge_clm/v1 from proto
	$(BIN)/python -m grpc_tools.protoc -I proto --python_out=. --pyi_out=. \
		--grpc_python_out=. $(wildcard proto/edge_clm/v1/*.proto)

clean: ## Remove .venv and everything that was generated
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@for python in $(or $(PYTHON),python3.11 python3); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			"$$python" -m venv --clear $(VENV); \
			touch $@; \
			exit 0; \
		fi; \
	done; \
	echo "edge_clm needs Python 3.11 or newer; not found as: $(or $(PYTHON),python3.11, python3)" >&2; \
	exit 1

$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP) install --constraint constraints.txt --editable '.[paddleocr]'
	touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[dev,train,paddleocr]'
	touch $@
