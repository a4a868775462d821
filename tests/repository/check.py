#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the repository that a compiler cannot see. Standard library only.

check.py ROOT prints every breach as `file:line: what is wrong` and returns 1 if there is one.
Rules: the arrows between folders, ARCHITECTURE.md naming the folders that exist, file sizes, SPDX
lines, one README per folder, prose that is at most 100 columns wide, links between pages that lead
somewhere, no unfinished marks, no paths of one machine, packages.txt in order, no addresses in the
lock file of the page.
"""

import os
import pathlib
import re
import sys

# What each folder of vinci/ may include: the arrows of ARCHITECTURE.md, closed transitively.
ARROWS = {
    "base": [],
    "sampling": ["base"],
    "search": ["base"],
    "systems": ["base"],
    "hybrid": ["systems"],
    "geometry": ["base"],
    "robots": ["geometry"],
    "model": ["geometry"],
    "kinematics": ["model"],
    "control": ["kinematics", "systems"],
    "elements": ["model"],
    "scene": ["elements", "control", "robots"],
    "collision": ["model"],
    "linear": ["base"],
    "storage": ["base"],
    "complementarity": ["linear", "storage"],
    "pivoting": ["complementarity"],
    "newton": ["pivoting"],
    "splitting": ["newton"],
    "proofs": ["pivoting"],
    "selection": ["newton", "proofs"],
    "solvers": ["splitting", "selection"],
    "formulation": ["collision", "complementarity", "kinematics"],
    "stepping": ["formulation", "solvers"],
    "events": ["hybrid", "stepping", "control"],
    "simulation": ["scene", "events"],
    "recording": ["simulation"],
    "comparison": ["recording"],
    "passage": ["recording", "control"],
    "grasp": ["recording"],
    "viewing": ["grasp", "campaign"],
    "study": ["comparison", "passage", "sampling", "search"],
    "campaign": ["study"],
}

# Who may touch a library from outside, so that each stays behind one door. Libraries that are
# not named here (the standard library, Eigen, fmt) are open to all.
LIBRARIES = {
    "yaml-cpp/": ["scene"],
    "hdf5": ["storage"],
    "libqhull": ["geometry"],
    "tinyxml2": ["robots"],
    "boost/": ["viewing"],
    "zlib": ["viewing"],
    "ompl/": ["passage"],
    "Random123/": ["sampling"],
    "nlopt": ["search"],
    "ida/": ["hybrid"],
    "nvector/": ["hybrid"],
    "sunlinsol/": ["hybrid"],
    "sunmatrix/": ["hybrid"],
    "sqlite3": ["campaign"],
    "pybind11/": [],
    "CLI/": [],
    "gtest/": [],
    "box2d/": [],
    "btBullet": [],
    "fcl/": [],
}

SOURCE_ENDINGS = {".h", ".cpp", ".py", ".pyi", ".ts", ".css", ".sh", ".cmake"}
MAX_LINES = 800
MAX_COLUMNS = 100  # of prose in Markdown
SPDX = "SPDX-License-Identifier: Apache-2.0"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
LINK_TARGET = re.compile(r"\]\(([^)]*)\)")
MARK = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
# Absolute paths below a home or scratch folder: they exist on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.$}/~-])/(work|root|home|tmp|Users|mnt)/[\w.]")
SKIPPED_FOLDERS = {".git", "runs", "__pycache__", "node_modules", "dist"}
# Stored input and reference data are not held to the rules for text that people write.
DATA_FOLDERS = ("tests/data/", "problems/")
SECTIONS = {"build", "test", "bench", "format", "lint"}


def allowed_includes(folder):
    """The folder itself and everything its arrows reach."""
    reached, waiting = {folder}, list(ARROWS[folder])
    while waiting:
        next_folder = waiting.pop()
        if next_folder not in reached:
            reached.add(next_folder)
            waiting += ARROWS[next_folder]
    return reached


def files_of(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders
                            if f not in SKIPPED_FOLDERS and not f.startswith("build"))
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            if not path.is_symlink() and name not in SKIPPED_FOLDERS:  # .git is a file in a worktree
                yield path.relative_to(root).as_posix(), path


def read(path):
    """The text of a file, or None if it is not text."""
    data = path.read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def folders_of(root):
    """The folders of vinci/ that hold a file."""
    vinci = root / "vinci"
    return sorted(f.name for f in vinci.iterdir() if f.is_dir() and any(f.iterdir()))


def check_arrows(name, text):
    parts = name.split("/")
    if parts[0] != "vinci" or not name.endswith((".h", ".cpp")):
        return
    folder = parts[1]
    if len(parts) != 3:
        yield f"{name}:1: sources of vinci/ lie two levels deep, vinci/folder/file"
        return
    if folder not in ARROWS:
        yield f"{name}:1: the folder '{folder}' has no arrows; give it some in check.py"
        return
    allowed = allowed_includes(folder)
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        if target.startswith("vinci/"):
            if target.split("/")[1] not in allowed:
                yield f"{name}:{number}: {folder} must not include {target}; the arrows allow " + \
                    ", ".join(sorted(allowed))
            continue
        if quote == '"':
            yield f'{name}:{number}: "{target}" must be included by its path from the root'
        for library, users in LIBRARIES.items():
            if target.startswith(library) and folder not in users:
                yield f"{name}:{number}: {folder} must not use {target}"


def check_links(root):
    """The targets' DEPENDS follow the same arrows."""
    for folder in folders_of(root):
        name = f"vinci/{folder}/CMakeLists.txt"
        text = read(root / name) if (root / name).exists() else None
        if text is None or folder not in ARROWS:
            yield f"{name}:1: missing, or a folder without arrows"
            continue
        for target in re.findall(r"Vinci::(\w+)", text):
            if target not in allowed_includes(folder):
                yield f"{name}:1: {folder} must not link Vinci::{target}"


def check_source(name, text):
    if pathlib.PurePosixPath(name).suffix not in SOURCE_ENDINGS:
        return
    lines = text.count("\n") + (not text.endswith("\n"))
    if lines > MAX_LINES:
        yield f"{name}:{MAX_LINES + 1}: {lines} lines; at most {MAX_LINES}"
    if not any(SPDX in line for line in text.split("\n")[:2]):
        yield f"{name}:1: the first line must say {SPDX}"


def prose_of(name, text):
    """The numbered lines of a Markdown page outside of code blocks."""
    fenced = False
    for number, line in enumerate(text.split("\n") if name.endswith(".md") else [], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def check_width(name, text):
    """Tables and the targets of links may be wide."""
    for number, line in prose_of(name, text):
        columns = len(LINK_TARGET.sub("]", line))
        if columns > MAX_COLUMNS and not line.lstrip().startswith("|"):
            yield f"{name}:{number}: {columns} columns of prose; at most {MAX_COLUMNS}"


def check_targets(root, name, text):
    """Links to files and folders of the repository."""
    for number, line in prose_of(name, text):
        for target in LINK_TARGET.findall(line):
            file = target.split("#")[0]
            if file and "://" not in file and not (root / name).parent.joinpath(file).exists():
                yield f"{name}:{number}: the link to {file} leads nowhere"


def check_words(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if MARK.search(line):
            yield f"{name}:{number}: a mark of unfinished work; finish it or open an issue"
        if MACHINE_PATH.search(line):
            yield f"{name}:{number}: a path that exists on one machine only"


def check_folders(root):
    """ARCHITECTURE.md names what exists, all of it, and every folder explains itself."""
    page = root / "ARCHITECTURE.md"
    if not page.exists():
        yield "ARCHITECTURE.md:1: missing"
        return
    named = set()
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        for folder in re.findall(r"(?<![\w/.-])((?:[\w.-]+/)+)(?![\w*])", line):
            named.add(folder.rstrip("/"))
            if not (root / folder).is_dir():
                yield f"ARCHITECTURE.md:{number}: names {folder}, which does not exist"
    for folder in folders_of(root):
        if f"vinci/{folder}" not in named:
            yield f"ARCHITECTURE.md:1: does not name vinci/{folder}/"
        if not (root / "vinci" / folder / "README.md").exists():
            yield f"vinci/{folder}/README.md:1: missing"


WALK = re.compile(r"<!-- walk -->\n(.*?)<!-- end of walk -->", re.DOTALL)
STATION = re.compile(r"`(\w+)(?:\(\))?` in\s+`([\w/]+\.(?:cpp|h))`")


def check_walk(root):
    """Every function of ARCHITECTURE.md's walk of one step is defined in the file named."""
    page = root / "ARCHITECTURE.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    walk = WALK.search(text)
    if not walk:
        yield "ARCHITECTURE.md:1: has no walk of one step between <!-- walk --> and its end"
        return
    first = text[:walk.start(1)].count("\n") + 1
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", walk.group(1), re.MULTILINE)]
    if numbers != list(range(1, len(numbers) + 1)) or not numbers:
        yield f"ARCHITECTURE.md:{first}: the stations of the walk are not numbered from 1 on"
    for station in STATION.finditer(walk.group(1)):
        name, file = station.groups()
        line = first + walk.group(1)[:station.start()].count("\n")
        source = read(root / file) if (root / file).is_file() else None
        # A definition at the start of a line, as a member or free, or a class.
        defined = re.compile(rf"^(?:class {name}\b|(?:\w[\w:<>,&*\[\] ]*[ &*])?(?:\w+::)*{name}\()",
                             re.MULTILINE)
        if source is None:
            yield f"ARCHITECTURE.md:{line}: names {file}, which does not exist"
        elif not defined.search(source):
            yield f"ARCHITECTURE.md:{line}: {file} does not define {name}"


def check_packages(root):
    page = root / "packages.txt"
    if not page.exists():
        yield "packages.txt:1: missing"
        return
    seen = {}
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"([a-z]+) ([a-z0-9][a-z0-9+.-]+)( [a-z0-9-]+)?", line)
        if not match or match.group(1) not in SECTIONS:
            yield f"packages.txt:{number}: must read 'section package [command]'; sections: " + \
                ", ".join(sorted(SECTIONS))
        elif match.group(2) in seen:
            yield f"packages.txt:{number}: {match.group(2)} stands in line " \
                f"{seen[match.group(2)]} already"
        else:
            seen[match.group(2)] = number
    if not seen:
        yield "packages.txt:1: lists no package"


def check_lock(root):
    """The lock file pins versions and checksums, not the place where somebody fetched them."""
    page = root / "web" / "package-lock.json"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for number, line in enumerate(text.split("\n"), 1):
        if '"resolved"' in line:
            yield f"web/package-lock.json:{number}: names a download address"


def check(root):
    """Every breach of every rule, in a fixed order."""
    root = pathlib.Path(root)
    breaches = []
    for name, path in files_of(root):
        if name.startswith(DATA_FOLDERS):
            continue
        text = read(path)
        if text is None:
            continue
        for rule in (check_arrows, check_source, check_width, check_words):
            breaches += rule(name, text)
        breaches += check_targets(root, name, text)
    for rule in (check_links, check_folders, check_walk, check_packages, check_lock):
        breaches += rule(root)
    return breaches


def main():
    if len(sys.argv) != 2:
        print("usage: check.py ROOT", file=sys.stderr)
        return 2
    breaches = check(sys.argv[1])
    for breach in breaches:
        print(breach)
    print(f"{len(breaches)} breaches of the rules of the repository")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
