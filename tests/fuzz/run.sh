#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzz targets, by clang beside a build of Vinci:
#   run.sh VINCI_BUILD build                    builds all of them
#   run.sh VINCI_BUILD TARGET LIBFUZZER_OPTION...  runs one, e.g. `expression -runs=1000000`
# A run begins with the stored inputs, those of former findings (tests/fuzz/found/TARGET) among them.
# Exit code 0: no finding; 77: no clang with libFuzzer here; else a finding, kept in VINCI_BUILD/fuzz.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
vinci=$(cd "$1" && pwd)
build=$vinci/fuzz
name=$2
shift 2

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

if [ "$name" = build ]; then
  cmake -S "$here" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=None \
    -DVINCI_BUILD="$vinci"
  exec cmake --build "$build"
fi

# What a run finds new stays in the build folder.
cd "$build"
mkdir -p "corpus/$name" "seeds/$name"
seed() { printf "$2" > "seeds/$name/$1"; }
dictionary=
longest=8192
case $name in
  scene)
    cp "$root"/scenes/*.yaml "$here"/../bad_scenes/*.yaml seeds/scene
    dictionary="-dict=$here/scene.dict" ;;
  study)
    cp "$root"/examples/studies/*.yaml seeds/study
    # Those of the files above name scenes that are not there: these name the one that is.
    seed sample 'scene: scene.yaml\nuncertain: {vx: {uniform: [0, 1]}, vy: {normal: {mean: 1, deviation: 1}}}\nmeasures: {far: {end: ball.x}, when: {first_time: ball.y < 1}}\nsuccess: far > 0.1\nsample: {count: 5}\nstop: {width: 0.1}\n'
    seed map 'scene: scene.yaml\ndesign: {vx: {from: 0, to: 1}}\nuncertain: {a: {discrete: {values: [1, 2], weights: [1, 1]}}}\nsuccess: a > 0.5\nmap: {over: [vx], cells: [3], adaptive: {first: 2, most: 8, width: 0.1}}\n'
    seed search 'scene: scene.yaml\ndesign: {vx: {from: 0, to: 1}}\nmeasures: {far: {time_of: greatest of ball.y}}\nsearch: {maximise: worst, of: far, evaluations: 9}\nlimits: {memory: 1 GB}\n'
    seed rare 'scene: scene.yaml\nuncertain: {a: {uniform: [0, 1]}, b: {uniform: [0, 1]}}\ncorrelations: [{of: [a, b], value: 0.1}]\nmeasures: {far: {onsets: [ball, wall]}}\nrare: {of: far, count: 50}\n'
    seed levels 'scene: scene.yaml\ndesigns: table.csv\nset: {mass: 2}\nlevels: [{name: a, model: geometric, body: ball, goal: {x: [0, 1]}}, {name: b, run: {step: 1 ms}}]\nsample: {count: 1}\n'
    dictionary="-dict=$here/study.dict" ;;
  expression)
    seed sine 'sin(2*pi*t) - q^3/4'
    seed if 'if(t < 0.5, -100*q, exp(-v))'
    seed units '2 mm + 3 deg'
    seed least 'min(q, max(v, 1e-3))' ;;
  mesh)
    seed obj '0v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n'
    seed stl '1solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\nendsolid a\n' ;;
  urdf)
    cp "$root"/robots/*/*.urdf "$here"/../robots/models/*.urdf "$here"/../bad_robots/*.urdf seeds/urdf
    dictionary="-dict=$here/robot.dict" ;;
  mjcf)
    cp "$here"/../robots/models/*.xml "$here"/../bad_robots/*.xml seeds/mjcf
    dictionary="-dict=$here/robot.dict" ;;
  sdf)
    cp "$here"/../robots/models/*.sdf "$here"/../bad_robots/*.sdf seeds/sdf
    dictionary="-dict=$here/robot.dict" ;;
  http)
    seed get 'GET /TOKEN/a?b=c HTTP/1.1\r\nHost: HOST\r\n\r\n'
    seed post 'POST /TOKEN/a HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nContent-Length: 3\r\n\r\nabc'
    seed chunked 'POST /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n' ;;
  recording*)
    # Scripts of about as many changes as there are datasets; without the bookkeeping that takes
    # longer than reading does. A file that lies about its size takes no memory by that.
    longest=256
    set -- -entropic=0 -malloc_limit_mb=64 "$@"
    export VINCI_FUZZ_RECORDING="$build/seeds/recorded.h5"
    "$vinci/vinci" run "$here/recorded.yaml" -o "$VINCI_FUZZ_RECORDING" --overwrite --quiet ;;
  problem*)
    longest=256
    set -- -entropic=0 -malloc_limit_mb=64 "$@"
    VINCI_FUZZ_PROBLEMS=$(find "$root/problems" -name '*.h5' -size -40k | sort | head -12 | paste -sd: -)
    export VINCI_FUZZ_PROBLEMS ;;
esac
[ -d "$here/found/$name" ] && cp "$here/found/$name"/* "seeds/$name"
# HDF5 leaks what a file left half open. Freed memory rests for longer than an input takes; a queue of
# the usual 256 MB would make every allocation a cold one.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:malloc_context_size=8
exec "./$name-fuzz" -detect_leaks=0 -max_len=$longest -timeout=300 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
  $dictionary "$@" "corpus/$name" "seeds/$name"
