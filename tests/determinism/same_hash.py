# SPDX-License-Identifier: Apache-2.0
"""Runs the gallery twice with the program and once with a program whose every source was compiled by
the same compiler without optimisation, and compares the state hashes.

same_hash.py PROGRAM SOURCE_FOLDER BUILD_FOLDER DEBUG_PROGRAM builds the last one first."""
import json
import pathlib
import subprocess
import sys
import tempfile

# Simulated seconds: contacts are made and broken in nearly all of them, yet quick without optimisation.
DURATION = "0.3"


def hashes(program, scenes):
    """State hash of every scene at the end of its recorded run."""
    result = []
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            answer = subprocess.run(
                [program, "run", scene, "--output", f"{folder}/run.h5", "--overwrite", "--json",
                 "--duration", DURATION],
                check=True, capture_output=True, text=True).stdout
            result.append(json.loads(answer)["state_hash"])
    return result


def debug_hashes(program, scenes):
    answer = subprocess.run([program, DURATION, *scenes], check=True, capture_output=True, text=True)
    return answer.stdout.split()


def main():
    program, source, build, debug = sys.argv[1:]
    subprocess.run(["cmake", "--build", build, "--target", pathlib.Path(debug).name], check=True,
                   stdout=subprocess.DEVNULL)
    scenes = sorted(pathlib.Path(source, "scenes").glob("*.yaml"))
    runs = zip(scenes, hashes(program, scenes), hashes(program, scenes), debug_hashes(debug, scenes),
               strict=True)
    different = [run for run in runs if len(set(run[1:])) > 1]
    for scene, first, again, slow in different:
        print(f"{scene.name}: {first}, again {again}, debug {slow}")
    print(f"{len(scenes)} scenes, {len(different)} with different hashes")
    return 1 if different or len(scenes) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
