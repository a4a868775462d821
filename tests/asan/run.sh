#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the readers and their tests with sanitizers and runs them: run.sh VINCI_BUILD COMPILER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cmake -S "$here" -B "$1/asan" -G Ninja -DVINCI_BUILD="$1" -DCMAKE_CXX_COMPILER="$2" \
  -DCMAKE_BUILD_TYPE=None
cmake --build "$1/asan"
cd "$1/asan"
ran=0
# HDF5 leaks what a damaged file left half open: leaks are not looked for.
for program in ./sanitized-*; do
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 "$program" --gtest_brief=1
  ran=$((ran + 1))
done
echo "$ran programs"
test "$ran" -gt 0
