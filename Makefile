# The commands of daily work; `make help` lists them. CMake does the building, this file only calls it.
release := build/release
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing: Debian packages, .venv
	@scripts/setup.sh

build: $(release)/build.ninja ## library, C, Fortran and Python interfaces, tests, benchmarks; the command is .venv/bin/wavegrid
	@cmake --build $(release) --parallel $(JOBS)

run: build ## Al108 on all cores, with live progress and a table of results
	.venv/bin/wavegrid run examples/al108.toml $(ARGS)

test: lint build test-mpich ## every check and every test
	ctest --preset release --parallel $(JOBS)
	.venv/bin/python -m pytest --numprocesses $(JOBS) --dist worksteal

test-mpich: build/mpich/build.ninja ## C++ tests on MPICH, few ranks
	@cmake --build build/mpich --parallel $(JOBS)
	ctest --preset mpich

test-asan: build/asan/build.ninja ## C++ tests under the address and undefined-behaviour sanitizers
	@cmake --build build/asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

lint: setup ## formatting, direction of includes, version, words, types, schemas
	@scripts/check_format.sh
	@scripts/check_includes.py
	@scripts/check_version.sh
	@scripts/check_words.py
	@.venv/bin/codespell
	@.venv/bin/mypy
	@.venv/bin/python scripts/make_schemas.py --check

format: setup ## mend the formatting
	@scripts/check_format.sh --fix

bench: build ## the compact FFT beside FFTW and SpFFT
	.venv/bin/wavegrid bench fft $(ARGS)

study-al500: build ## the whole self-consistency of Al500 beside 125 times Al4 on k-points
	.venv/bin/python benchmarks/al500/run.py $(ARGS)

study-eigensolvers: build ## applications of H and time of each eigensolver, on four cases
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/eigensolvers/run.py $(ARGS)

study-crystals: build ## k-points, symmetry, splits and missed states: whole calculations that have to agree
	.venv/bin/python benchmarks/crystals/run.py $(ARGS)

study-checkpoint-kill: build ## 200 programs killed while they write a checkpoint: one must be left each time
	.venv/bin/python tests/python/kill_writer.py $(ARGS)

clean: ## remove what the build made (.venv stays)
	rm -rf build python/wavegrid/_core*.so python/wavegrid/bin

# Configured once; from then on Ninja itself calls CMake where a CMake file or the list of sources has changed.
build/%/build.ninja: CMakePresets.json | setup
	@mkdir -p build && cmake --preset $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }
	@touch $@

.PHONY: help setup build run test test-mpich test-asan lint format bench study-al500 study-crystals study-checkpoint-kill study-eigensolvers clean
