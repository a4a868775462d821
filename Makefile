# SPDX-License-Identifier: Apache-2.0
# The commands of the README; CMake does the work (CMakePresets.json for everything else).
# demo, build, test and bench share one build folder, so that nothing is compiled twice.

BUILD := build
GALLERY := $(sort $(wildcard scenes/*.yaml))
TEST_JOBS ?= 2
BENCH_FLAGS ?=
# A fresh build folder joins sources: the first build then takes a third of the time.
FRESH = $(if $(wildcard $(BUILD)/build.ninja),,-DCMAKE_UNITY_BUILD=ON -DVINCI_TESTS=OFF)
INSTALL := scripts/install_packages.sh
PYTHON := PYTHONPATH=$(BUILD)/python /usr/bin/python3

.DEFAULT_GOAL := help
.PHONY: help demo build packages tested check test asan tsan bench bench-small bench-planar bench-mesh bench-plate bench-robots bench-solvers bench-python bench-events \
        bench-functions bench-study format tidy clean

help:
	@echo 'make demo    build, run the gallery of scenes, write pages to look at and a figure'
	@echo 'make check   build everything and run the quick tests (three minutes)'
	@echo 'make test    build everything and run all tests'
	@echo 'make asan    the quick tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan    runs side by side and the viewer under the thread sanitizer'
	@echo 'make build   build the program, build/vinci, and the Python package, build/python'
	@echo 'make bench   build and run the benchmarks beside Box2D and Bullet (BENCH_FLAGS=--quick)'
	@echo 'make bench-small  one body beside Chipmunk, Box2D and Bullet (BENCH_FLAGS=--quick)'
	@echo 'make bench-planar   steps of the planar experiments; grasps per second beside Box2D (BENCH_FLAGS=--quick)'
	@echo 'make bench-mesh   meshes beside Bullet and MuJoCo (BENCH_FLAGS=--quick)'
	@echo 'make bench-plate    exact cone and pyramids beside their errors, and Siconos (BENCH_FLAGS=--quick)'
	@echo 'make bench-robots   arms, a chain and a hand beside MuJoCo and DART (BENCH_FLAGS=--quick)'
	@echo 'make bench-python   Python around a step; the viewer on 2,000 bodies'
	@echo 'make bench-events   a bouncing ball by events and by steps, beside Siconos (BENCH_FLAGS=--quick)'
	@echo 'make bench-functions  our sine, exponential, ... beside those of the C library'
	@echo 'make bench-study  what a study costs around a million cases (BENCH_FLAGS=--quick)'
	@echo 'make bench-solvers  every solver on stored problems beside Siconos (BENCH_FLAGS=--quick)'
	@echo 'make format  clang-format all sources'
	@echo 'make tidy    clang-tidy all sources (slow)'
	@echo 'make clean   remove the build folders'
	@echo 'Missing Debian packages (packages.txt) are installed first.'

packages:
	@$(INSTALL) build

# What the viewer's page is made of, as the lock file pins it.
web/node_modules/.package-lock.json: web/package-lock.json | packages
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

build: packages web/node_modules/.package-lock.json
	@test -f $(BUILD)/build.ninja || cmake --preset release $(FRESH)
	cmake --build $(BUILD) --target vinci vinci-python

demo: build
	$(BUILD)/vinci run $(GALLERY) --table --output runs --overwrite
	@for run in $(GALLERY:scenes/%.yaml=runs/%); do \
	  $(BUILD)/vinci view $$run.h5 --html $$run.html --overwrite || exit 1; done
	@$(PYTHON) examples/gallery.py runs

# All that the tests need: the program with its page, the Python package, the test programs.
tested: web/node_modules/.package-lock.json
	@$(INSTALL) build test format
	cmake --preset release $(FRESH) -DVINCI_TESTS=ON
	cmake --build $(BUILD)

test: tested
	ctest --test-dir $(BUILD) --output-on-failure -j$(TEST_JOBS)

check: tested
	ctest --test-dir $(BUILD) --output-on-failure -j$(TEST_JOBS) -L '^quick$$'

# In a build folder of its own, as tidy is.
asan: web/node_modules/.package-lock.json
	@$(INSTALL) build test format
	cmake --preset asan -DCMAKE_UNITY_BUILD=ON -DVINCI_TESTS=ON
	cmake --build --preset asan
	ctest --preset asan -j$(TEST_JOBS) -L '^quick$$'

# The program alone: what goes on at the same time in it.
tsan: web/node_modules/.package-lock.json
	@$(INSTALL) build test format
	cmake --preset tsan -DCMAKE_UNITY_BUILD=ON -DVINCI_TESTS=ON
	cmake --build --preset tsan --target vinci
	ctest --preset tsan -j$(TEST_JOBS) -R '^apps\.(threads|compare|view)$$'

bench:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-step
	$(BUILD)/benchmarks/benchmark-step $(BENCH_FLAGS)

# One body that slides, holds, rolls or is carried: times of a step beside errors.
bench-small:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-small
	$(BUILD)/benchmarks/benchmark-small $(BENCH_FLAGS)

# Steps of the planar experiments; grasps per second and their errors beside Box2D.
bench-planar:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-planar
	$(BUILD)/benchmarks/benchmark-planar $(BENCH_FLAGS)

# A nut on a bolt and bins of meshes, beside Bullet and MuJoCo.
bench-mesh:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-mesh
	$(BUILD)/benchmarks/benchmark-mesh $(BENCH_FLAGS)

# The Circle field of experiments/plate: exact cone and pyramids, times beside errors, and Siconos.
bench-plate:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-plate
	$(BUILD)/benchmarks/benchmark-plate $(BENCH_FLAGS)

# Arms, a chain and a hand beside MuJoCo and DART: times of steps and their errors.
bench-robots:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-robots
	$(BUILD)/benchmarks/benchmark-robots $(BENCH_FLAGS)

# Third-party problems: those of the folder VINCI_PROBLEMS. Six digits are all that the granular
# flows were printed with.
bench-solvers:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-solvers benchmark-tripod
	$(BUILD)/benchmarks/benchmark-solvers --tol-for granular=1e-6 --json $(BUILD)/solvers.json $(BENCH_FLAGS)
	$(BUILD)/benchmarks/benchmark-solvers --auto --tol 1e-12 --json $(BUILD)/solvers-tight.json
	/usr/bin/python3 benchmarks/solvers/report.py $(BUILD)/solvers.json \
	  --tight $(BUILD)/solvers-tight.json --picture docs/solvers-profile.svg
	$(BUILD)/benchmarks/benchmark-tripod

# The cost of Python around a step; frames per second and memory of the viewer's page.
bench-python: web/node_modules/.package-lock.json
	@$(INSTALL) build test bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target vinci vinci-python benchmark-python-step
	$(PYTHON) benchmarks/python/step.py $(BUILD)/benchmarks/benchmark-python-step $(BENCH_FLAGS)
	$(PYTHON) benchmarks/python/viewer.py $(BUILD)/vinci $(BENCH_FLAGS)

# A bouncing ball: CPU time beside error of event-driven motion, time-stepping, and Siconos.
bench-events:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-events
	$(BUILD)/benchmarks/benchmark-events $(BENCH_FLAGS)

# Our sine, exponential, ... beside those of the C library.
bench-functions:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-functions
	$(BUILD)/benchmarks/benchmark-functions

# What a study costs around its cases.
bench-study:
	@$(INSTALL) build bench
	cmake --preset release $(FRESH) -DVINCI_BENCHMARKS=ON
	cmake --build $(BUILD) --target benchmark-study
	$(BUILD)/benchmarks/benchmark-study $(BENCH_FLAGS)

format:
	@$(INSTALL) format
	find vinci apps tests examples benchmarks python \( -name '*.h' -o -name '*.cpp' \) -print0 | \
	  xargs -0 clang-format -i

tidy:
	@$(INSTALL) build test lint
	cmake --preset release -B build-tidy
	run-clang-tidy -quiet -p build-tidy '$(CURDIR)/(vinci|apps)/.*\.cpp$$'

clean:
	rm -rf build build-debug build-asan build-tsan build-tidy
