# SPDX-License-Identifier: Apache-2.0
"""State hashes of every scene of the project, compared with those stored in hashes.json.

stored_hashes.py check PROGRAM ROOT   runs the scenes and names every one whose hash differs
stored_hashes.py write PROGRAM ROOT   writes hashes.json anew, after a change that is meant to change bits

Every scene of scenes/ and experiments/ runs as it stands, and for a shorter time with other steppers,
motions, cones, impact times and solvers. A refusal counts too: its hash is 'refused'.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

SHORT = ["--duration", "0.15"]
VARIANTS = {
    "as it stands": [],
    "anitescu-potra": ["--stepper", "anitescu-potra", *SHORT],
    "song-pang-kumar": ["--stepper", "song-pang-kumar", *SHORT],
    "pyramid": ["--cone", "pyramid", *SHORT],
    "pyramid by lemke": ["--cone", "pyramid", "--directions", "5", "--solver", "lemke", *SHORT],
    "gauss-seidel": ["--solver", "gauss-seidel", *SHORT],
    "interior-point": ["--solver", "interior-point", *SHORT],
    "semismooth-newton": ["--solver", "semismooth-newton", *SHORT],
    "first-order": ["--motion", "first-order", *SHORT],
    "quasi-static": ["--motion", "quasi-static", *SHORT],
    "bisect": ["--impact-time", "bisect", *SHORT],
    "gap-rate": ["--impact-time", "gap-rate", "--impact-law", "poisson", *SHORT],
    "bisect over anitescu-potra": ["--stepper", "anitescu-potra", "--impact-time", "bisect", *SHORT],
}


def is_whole(scene):
    """Parts that other scenes include have no run of their own; studies name a scene."""
    text = scene.read_text(encoding="utf-8")
    return "\nrun:" in text and "\nscene:" not in text


def state_hash(program, robots, scene, flags):
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            [program, "run", scene, "--output", f"{folder}/run.h5", "--json", *flags,
             "--allow-path", robots],
            capture_output=True, text=True, check=False)
    return json.loads(answer.stdout).get("state_hash", "refused")


def hashes(program, root):
    root = pathlib.Path(root)
    scenes = [s for s in sorted([*root.glob("scenes/*.yaml"), *root.glob("experiments/*/*.yaml")])
              if is_whole(s)]
    runs = {f"{scene.relative_to(root)}, {name}": (scene, flags)
            for scene in scenes for name, flags in VARIANTS.items()}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        values = pool.map(lambda run: state_hash(program, root / "robots", *run), runs.values())
    return dict(zip(runs, values))


def main():
    task, program, root = sys.argv[1:]
    file = pathlib.Path(__file__).with_name("hashes.json")
    found = hashes(program, root)
    if task == "write":
        file.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
        return 0
    stored = json.loads(file.read_text(encoding="utf-8"))
    different = [name for name in sorted({*stored, *found}) if stored.get(name) != found.get(name)]
    for name in different:
        print(f"{name}: {stored.get(name, 'not stored')} stored, {found.get(name, 'not run')} now")
    print(f"{len(stored)} runs, {len(different)} different")
    return 1 if different or not stored else 0


if __name__ == "__main__":
    sys.exit(main())
