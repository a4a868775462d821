# SPDX-License-Identifier: Apache-2.0
"""Runs the gallery as it is, and where the C library is held to the code that every x86-64 processor
has (no fused multiply-add, no AVX), and compares the state hashes: same_hash_masked.py PROGRAM ROOT."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

DURATION = "0.2"
MASK = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX,-AVX2,-AVX2_Usable,-FMA_Usable,-AVX512F"


def state_hash(program, scene, environment):
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            [program, "run", scene, "--output", f"{folder}/run.h5", "--json", "--duration", DURATION],
            capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    return json.loads(answer.stdout)["state_hash"]


def main():
    program, root = sys.argv[1:]
    scenes = sorted(pathlib.Path(root, "scenes").glob("*.yaml"))
    different = [scene.name for scene in scenes
                 if state_hash(program, scene, {}) != state_hash(program, scene, {"GLIBC_TUNABLES": MASK})]
    print(f"{len(scenes)} scenes, {len(different)} different: {different}")
    return 1 if different or not scenes else 0


if __name__ == "__main__":
    sys.exit(main())
