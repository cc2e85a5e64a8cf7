# The commands of daily work; `make help` lists them. CMake does the building, this file only calls it.
release := build/release
# The presets run (library and Python module) and release (everything) share one build tree; release contains run.
run_tree := $(firstword $(wildcard $(release)/configured.release) $(release)/configured.run)
# Runs and tests start the program hundreds of times: compiled once here, also where Python may not write its caches.
bytecode := .venv/bin/python -m compileall -q python/wavegrid
JOBS ?= $(shell nproc)
# Threads that wait must sleep: some tests have six ranks of two threads, and spinning took most of their time.
# Threads of numpy's and scipy's BLAS cost more than the tests' small matrices, whichever they wait for.
# One process more than cores: about a quarter of the time a test waits for programs that start or end.
pytest = OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1 .venv/bin/python -m pytest --numprocesses $(shell expr $(JOBS) + 1) --dist worksteal
MAKEFLAGS += --no-print-directory

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-23s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: packages ## install what building and testing need: Debian packages, .venv
	@scripts/setup.sh test

packages: # of Debian alone, which MPICH's tests need
	@scripts/setup.sh packages

build: $(run_tree) ## library and Python module, all that a run needs; the command is .venv/bin/wavegrid
	@cmake --build $(release) --parallel $(JOBS) --target _core
	@$(bytecode)

build-all: $(release)/configured.release ## also the C and Fortran interfaces, tests and benchmarks
	@cmake --build $(release) --parallel $(JOBS)
	@$(bytecode)

run: build ## Al108 on all cores, with live progress and a table of results
	.venv/bin/wavegrid run examples/al108.toml $(ARGS)

test: ## every check, and every test but those of test-long
	@$(MAKE) --jobs 3 lint build-all build-mpich # .venv and most checks take one core
	@$(MAKE) test-mpich
	ctest --preset release --parallel $(JOBS) --label-exclude long
	$(pytest) -m "not long and not study"

test-long: build-all ## whole calculations on more ranks and in more combinations than in test
	ctest --preset release --parallel $(JOBS) --label-regex long
	$(pytest) -m "long and not study"

build-mpich: build/mpich/build.ninja
	@cmake --build build/mpich --parallel $(JOBS)

test-mpich: build-mpich ## C++ tests on MPICH, few ranks
	ctest --preset mpich --parallel $(JOBS)

test-asan: build/asan/build.ninja ## C++ tests under the address and undefined-behaviour sanitizers
	@cmake --build build/asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

test-allocations: build-all ## runs in each of which one allocation is refused: all must end, with one message (half an hour on two cores)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python tests/python/refuse_memory.py $(ARGS)

fuzz: ## the readers of files under libFuzzer and both sanitizers, a minute each (tests/fuzz)
	@scripts/setup.sh fuzz
	@mkdir -p build && cmake --preset fuzz >build/fuzz.log 2>&1 || { cat build/fuzz.log; exit 1; }
	@cmake --build build/fuzz --parallel $(JOBS)
	@tests/fuzz/run.sh 60

lint: setup ## formatting, direction of includes, one place for each discretisation, version, packaging, programs in docs/, words, types, schemas, table of features
	@scripts/check_format.sh
	@scripts/check_includes.py
	@scripts/check_python_layers.py
	@scripts/check_discretisation.py
	@scripts/check_version.sh
	@scripts/check_packaging.py
	@scripts/check_examples.py
	@scripts/check_words.py
	@.venv/bin/codespell
	@.venv/bin/mypy
	@.venv/bin/python scripts/make_schemas.py --check
	@.venv/bin/python scripts/make_features.py --check

format: setup ## fix the formatting
	@scripts/check_format.sh --fix

PREFIX ?= /usr/local
install: $(release)/configured.release ## the library, its headers and the C and Fortran interfaces below PREFIX (/usr/local)
	@cmake --build $(release) --parallel $(JOBS) --target wavegrid_library
	@cmake --install $(release) --component library --prefix $(abspath $(PREFIX))

docs: ## the documentation as a web site: build/docs/site
	@scripts/make_docs.sh

bench: build-all ## the compact FFT compared with FFTW and SpFFT
	.venv/bin/wavegrid bench fft $(ARGS)

study-al500: build ## the self-consistent calculation of Al500 compared with 125 times Al4 on k-points
	.venv/bin/python benchmarks/al500/run.py $(ARGS)

study-projectors: build ## projectors in real space compared with plane waves: energies, forces, stress of four systems at four positions
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/projectors/run.py $(ARGS)

study-realspace: build ## meshes compared with plane waves of the same accuracy, and with GPAW
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/realspace/run.py $(ARGS)

study-eigensolvers: build ## applications of H and time of each eigensolver, on four cases
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/eigensolvers/run.py $(ARGS)

study-meta-gga: build ## meta-GGAs compared with ABINIT and pw.x, their steps and time with PBE's, meshes with plane waves
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/meta_gga/run.py $(ARGS)

study-paw: build ## ultrasoft potentials and PAW compared with pw.x, ABINIT and GPAW on the same datasets; layouts, restarts
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/paw/run.py $(ARGS)

study-crystals: build ## k-points, symmetry, splits and missed states: whole calculations that have to agree
	$(pytest) -m study
	.venv/bin/python benchmarks/crystals/run.py $(ARGS)

study-scale: ## communication of the transforms on simulated clusters, compared with published tables
	@scripts/setup.sh simulated
	@mkdir -p build
	@cmake --preset simulated >build/simulated.log 2>&1 || { cat build/simulated.log; exit 1; }
	@cmake --build build/simulated --parallel $(JOBS) --target bench_simulated
	.venv/bin/python benchmarks/simulated/run.py $(ARGS)

study-plan: build ## predictions of wavegrid plan compared with runs here
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/plan/run.py $(ARGS)

study-machine: build ## transposes compared with what a machine file of wavegrid bench machine predicts
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/machine/transposes.py $(ARGS)

study-eos: build ## equations of state of crystals compared with ABINIT on the same pseudopotentials, and with all-electron codes
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/equation_of_state/run.py $(ARGS)

study-session: build ## ten solves in one session against ten runs
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/session/run.py $(ARGS)

study-motion: build ## relaxation of a vacancy compared with pw.x, costs of dynamics, its drift
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/motion/run.py $(ARGS)

study-geometries: build ## relaxed lattice constants and coordinates of five systems compared with pw.x
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 .venv/bin/python benchmarks/motion/geometries.py $(ARGS)

study-convergence: build ## steps and time of 42 systems compared with pw.x and ABINIT
	.venv/bin/python benchmarks/convergence/run.py $(ARGS)

study-propagation: build ## schemes of a step in time at several steps: error and cost
	.venv/bin/python benchmarks/propagation/run.py $(ARGS)

study-exact-exchange: build ## exact exchange by the mesh of q, with each treatment of its divergence
	.venv/bin/python benchmarks/exact_exchange/run.py $(ARGS)

study-spectra: build ## dielectric functions and first lines next to ABINIT's and Quantum ESPRESSO's
	.venv/bin/python benchmarks/propagation/spectra.py $(ARGS)

study-small: build ## CPU time of ten small systems with many k-points compared with pw.x and ABINIT
	.venv/bin/python benchmarks/convergence/small.py $(ARGS)

study-counts: build-all ## what five calculations need, compared with benchmarks/counts/history.jsonl
	.venv/bin/python benchmarks/counts/run.py $(ARGS)

study-checkpoint-kill: build-all ## 200 programs killed while they write a checkpoint: a complete one must be left each time
	.venv/bin/python tests/python/kill_writer.py $(ARGS)

clean: ## remove what the build made (.venv stays)
	rm -rf build python/wavegrid/_core*.so python/wavegrid/bin

# Configured once; from then on Ninja itself calls CMake where a CMake file or the list of sources has changed.
define configure
@mkdir -p build && cmake --preset $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }
@touch $@
endef

$(release)/configured.%: CMakePresets.json | setup-%
	$(configure)
$(release)/build.ninja: $(release)/configured.release
build/mpich/build.ninja: build/%/build.ninja: CMakePresets.json | packages
	$(configure)
build/%/build.ninja: CMakePresets.json | setup
	$(configure)

setup-run:
	@scripts/setup.sh run
setup-release: setup

.PHONY: help setup packages setup-run setup-release build build-all build-mpich run test test-long test-mpich test-asan test-allocations
.PHONY: docs fuzz install lint format bench clean
.PHONY: study-al500 study-checkpoint-kill study-convergence study-counts study-crystals study-eigensolvers study-eos study-exact-exchange
.PHONY: study-geometries study-machine study-meta-gga study-motion study-paw study-plan study-projectors study-propagation
.PHONY: study-realspace study-scale study-session study-small study-spectra
