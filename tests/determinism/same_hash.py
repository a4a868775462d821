# SPDX-License-Identifier: Apache-2.0
"""Runs the gallery twice with the given program and once with a debug build of the same sources by the same
compiler, and compares the state hashes."""
import json
import pathlib
import subprocess
import sys
import tempfile


def build_debug(source, folder, compiler):
    subprocess.run(["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    f"-DCMAKE_CXX_COMPILER={compiler}", "-DVINCI_TESTS=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "vinci"], check=True,
                   stdout=subprocess.DEVNULL)
    return pathlib.Path(folder) / "vinci"


# Simulated seconds: contacts are made and broken in nearly all of them, yet quick without optimisation.
DURATION = "0.3"


def hashes(program, scenes):
    """State hash of every scene at the end of its run."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            answer = subprocess.run(
                [program, "run", scene, "--output", f"{folder}/run.h5", "--overwrite", "--json",
                 "--duration", DURATION],
                check=True, capture_output=True, text=True).stdout
            result[scene.name] = json.loads(answer)["state_hash"]
    return result


def main():
    program, source, folder, compiler = sys.argv[1:]
    debug = build_debug(source, folder, compiler)
    scenes = sorted(pathlib.Path(source, "scenes").glob("*.yaml"))
    first, again, slow = hashes(program, scenes), hashes(program, scenes), hashes(debug, scenes)
    different = [name for name in first if not first[name] == again[name] == slow[name]]
    for name in different:
        print(f"{name}: {first[name]}, again {again[name]}, debug {slow[name]}")
    print(f"{len(first)} scenes, {len(different)} with different hashes")
    return 1 if different or len(first) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
