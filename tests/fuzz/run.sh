#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz target of the scene loader with clang and runs it: run.sh [BUILD_FOLDER [SECONDS]].
# Exit code 0: no finding; 77: no clang with libFuzzer here; else a finding, kept in BUILD_FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/fuzz}
seconds=${2:-60}

compiler=$(command -v clang++-14 || command -v clang++ || true)
if [ -z "$compiler" ]; then
  echo "fuzz: skipped, clang++ is not installed (Debian: clang libclang-rt-dev)"
  exit 77
fi
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  "$compiler" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "fuzz: skipped, $compiler has no libFuzzer (Debian: libclang-rt-dev)"
  exit 77
fi

cmake -S "$here" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None
cmake --build "$build"

# Seeds: the gallery and the bad scenes. What a run finds new stays in the build folder.
mkdir -p "$build/corpus" "$build/seeds"
cp "$here"/../../scenes/*.yaml "$here"/../bad_scenes/*.yaml "$build/seeds"
cd "$build"
exec ./scene-fuzz -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
  -dict="$here/scene.dict" -print_final_stats=1 corpus seeds
