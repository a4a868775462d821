#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets with clang beside a build of Vinci and runs them one after the other:
# run.sh VINCI_BUILD [SECONDS [TARGET...]]. More options for libFuzzer, e.g. -runs=1000000: FUZZ_FLAGS.
# Exit code 0: no finding; 77: no clang with libFuzzer here; else a finding, kept in VINCI_BUILD/fuzz.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
vinci=$(cd "${1:-$root/build}" && pwd)
build=$vinci/fuzz
seconds=${2:-20}
shift $(($# < 2 ? $# : 2))
targets=${*:-scene expression mesh problem recording http}

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

cmake -S "$here" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
  -DVINCI_BUILD="$vinci"
cmake --build "$build"

# Seeds; what a run finds new stays in the build folder.
cd "$build"
for name in $targets; do mkdir -p "corpus/$name" "seeds/$name"; done
mkdir -p seeds/scene seeds/expression seeds/mesh seeds/http
cp "$root"/scenes/*.yaml "$here"/../bad_scenes/*.yaml seeds/scene
for text in 'sin(2*pi*t) - q^3/4' 'if(t < 0.5, -100*q, exp(-v))' '2 mm + 3 deg' 'min(q, max(v, 1e-3))'; do
  echo "$text" > "seeds/expression/$(echo "$text" | cksum | cut -d' ' -f1)"
done
printf '0v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n' > seeds/mesh/obj
printf '1solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\nendsolid a\n' > seeds/mesh/stl
printf 'GET /TOKEN/a?b=c HTTP/1.1\r\nHost: HOST\r\n\r\n' > seeds/http/get
printf 'POST /TOKEN/a HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 3\r\n\r\nabc' > seeds/http/post
printf 'POST /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n' > seeds/http/chunked
VINCI_FUZZ_PROBLEMS=$(find "$root/problems" -name '*.h5' -size -40k | sort | head -12 | paste -sd: -)
export VINCI_FUZZ_PROBLEMS
# HDF5 leaks what a file left half open.
export ASAN_OPTIONS=detect_leaks=0
for name in $targets; do
  dictionary=
  [ "$name" = scene ] && dictionary="-dict=$here/scene.dict"
  echo "fuzz: $name"
  "./$name-fuzz" -max_total_time="$seconds" -max_len=8192 -timeout=20 -rss_limit_mb=2048 -verbosity=0 \
    -print_final_stats=1 $dictionary ${FUZZ_FLAGS:-} "corpus/$name" "seeds/$name"
done
