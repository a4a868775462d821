#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does what a page of the manual tells its reader, block by block, in an empty folder.

run_page.py PAGE BUILD: the folder BUILD appears as ./build there, and the robots of the repository
as ./robots. Fenced blocks:
  after `<!-- file: NAME -->`     become that file;
  sh                              is executed, all in one shell, so that what is set stays set;
  text                            must be what the sh block before it printed; `...` stands for
                                  anything;
  sh after `<!-- until Ctrl-C -->` must print an address that answers, and end well when
                                  it is interrupted;
  sh after `<!-- needs PROGRAM -->` is left out, and said so, where the program is missing.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

BLOCK = re.compile(r"(?:^<!-- ([^\n]+) -->\n+)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 600  # s per block: a net under what would never end


class Reader:
    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ)
        self.printed = ""

    def run(self, script):
        """Executes a block; remembers the environment that it leaves."""
        kept = self.folder / ".environment"
        done = subprocess.run(["bash", "-e", "-c", f"{script}\nenv -0 > '{kept}'"], cwd=self.folder,
                              env=self.environment, text=True, timeout=LIMIT,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.printed = done.stdout
        if done.returncode != 0:
            raise AssertionError(f"failed with code {done.returncode}:\n{script}{done.stdout}")
        pairs = kept.read_text(encoding="utf-8").split("\0")
        self.environment = dict(pair.split("=", 1) for pair in pairs if "=" in pair)

    def run_until_interrupted(self, script):
        process = subprocess.Popen(["bash", "-c", f"exec {script.strip()}"], cwd=self.folder,
                                   env={**self.environment, "DISPLAY": "", "WAYLAND_DISPLAY": ""},
                                   text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            printed = []
            for line in process.stdout:
                printed.append(line)
                address = re.search(r"http://\S+", line)
                if address:
                    break
            else:
                raise AssertionError(f"printed no address:\n{script}{''.join(printed)}")
            with urllib.request.urlopen(address.group(), timeout=LIMIT) as answer:
                assert answer.status == 200 and b"<html" in answer.read(4096)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=LIMIT)
            assert code == 0, f"ended with code {code}:\n{script}"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def expect(self, text):
        pattern = ".*?".join(re.escape(part) for part in text.strip().split("..."))
        if not re.search(pattern, self.printed, re.DOTALL):
            raise AssertionError(f"expected\n{text}\nbut there was\n{self.printed}")


def main():
    page, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    executed = 0
    with tempfile.TemporaryDirectory() as scratch:
        reader = Reader(pathlib.Path(scratch))
        (reader.folder / "build").symlink_to(build)
        (reader.folder / "robots").symlink_to(page.resolve().parent.parent / "robots")
        for mark, language, content in BLOCK.findall(page.read_text(encoding="utf-8")):
            if mark.startswith("file: "):
                (reader.folder / mark[6:]).write_text(content, encoding="utf-8")
            elif mark.startswith("needs ") and not shutil.which(mark[6:]):
                print(f"left out, because {mark[6:]} is not here:\n{content}")
            elif mark == "until Ctrl-C":
                reader.run_until_interrupted(content)
                executed += 1
            elif language == "sh":
                reader.run(content)
                executed += 1
            elif language == "text":
                reader.expect(content)
    print(f"{page.name}: {executed} blocks executed")
    return 0 if executed else 1


if __name__ == "__main__":
    sys.exit(main())
