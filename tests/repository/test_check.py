#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker catches what it is for: each test plants one breach in a clean little tree."""

import pathlib
import tempfile
import unittest

import check

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class Planted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for folder in check.ARROWS:
            self.write(f"vinci/{folder}/README.md", "# one page\n")
            self.write(f"vinci/{folder}/CMakeLists.txt", f"vinci_folder({folder})\n")
            self.write(f"vinci/{folder}/code.h", SPDX + '#include "vinci/base/error.h"\n')
        self.write("apps/run.cpp", SPDX + "int run(int count) {\n  return count;\n}\n")
        self.write("ARCHITECTURE.md", "".join(f"vinci/{f}/\n" for f in check.ARROWS) +
                   "<!-- walk -->\n1. `run()` in `apps/run.cpp` begins.\n<!-- end of walk -->\n")
        self.write("packages.txt", "# comment\nbuild cmake\ntest libgtest-dev\n")
        self.assertEqual(check.check(self.root), [])

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, place, words):
        """Exactly one breach, at the place, with the words."""
        breaches = check.check(self.root)
        self.assertEqual(len(breaches), 1, breaches)
        self.assertTrue(breaches[0].startswith(place + ": "), breaches)
        self.assertIn(words, breaches[0])

    def test_include_against_the_arrows(self):
        forbidden = {"base": "geometry", "geometry": "model", "model": "collision",
                     "collision": "stepping", "complementarity": "model", "solvers": "geometry",
                     "stepping": "simulation"}
        for folder, target in forbidden.items():
            with self.subTest(folder):
                name = f"vinci/{folder}/planted.cpp"
                self.write(name, SPDX + "\n" + f'#  include "vinci/{target}/x.h"\n')
                self.expect(f"{name}:3", "must not include")
                (self.root / name).unlink()

    def test_solvers_never_see_a_body(self):
        self.write("vinci/solvers/planted.h", SPDX + '#include "vinci/collision/contact.h"\n')
        self.expect("vinci/solvers/planted.h:2", "must not include vinci/collision/contact.h")

    def test_arrows_are_transitive(self):
        self.write("vinci/simulation/fine.cpp", SPDX + '#include "vinci/geometry/shape.h"\n')
        self.assertEqual(check.check(self.root), [])

    def test_include_by_a_relative_path(self):
        self.write("vinci/base/planted.cpp", SPDX + '#include "error.h"\n')
        self.expect("vinci/base/planted.cpp:2", "path from the root")

    def test_library_behind_its_door(self):
        self.write("vinci/solvers/planted.cpp", SPDX + "#include <hdf5.h>\n")
        self.expect("vinci/solvers/planted.cpp:2", "must not use hdf5.h")

    def test_link_against_the_arrows(self):
        self.write("vinci/base/CMakeLists.txt", "vinci_folder(base DEPENDS Vinci::model)\n")
        self.expect("vinci/base/CMakeLists.txt:1", "must not link Vinci::model")

    def test_third_level_of_folders(self):
        self.write("vinci/base/deep/planted.h", SPDX)
        self.expect("vinci/base/deep/planted.h:1", "two levels")

    def test_named_folder_that_does_not_exist(self):
        page = (self.root / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.write("ARCHITECTURE.md", "`attic/` holds nothing\n" + page)
        self.expect("ARCHITECTURE.md:1", "attic/")

    def test_existing_folder_that_is_not_named(self):
        page = (self.root / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.write("ARCHITECTURE.md", page.replace("vinci/model/\n", ""))
        self.expect("ARCHITECTURE.md:1", "vinci/model/")

    def test_walk_of_a_function_that_is_not_there(self):
        self.write("apps/run.cpp", SPDX + "int ran() {\n  return run(1);\n}\n")
        self.expect(f"ARCHITECTURE.md:{len(check.ARROWS) + 2}", "apps/run.cpp does not define run")

    def test_walk_through_a_file_that_is_not_there(self):
        (self.root / "apps/run.cpp").unlink()
        self.expect(f"ARCHITECTURE.md:{len(check.ARROWS) + 2}",
                    "names apps/run.cpp, which does not exist")

    def test_folder_without_readme(self):
        (self.root / "vinci/model/README.md").unlink()
        self.expect("vinci/model/README.md:1", "missing")

    def test_file_of_801_lines(self):
        self.write("apps/long.cpp", SPDX + "int x;\n" * 799)
        self.assertEqual(check.check(self.root), [])
        self.write("apps/long.cpp", SPDX + "int x;\n" * 800)
        self.expect("apps/long.cpp:801", "801 lines")

    def test_missing_spdx_line(self):
        self.write("tests/base/planted.cpp", "int x;\n")
        self.expect("tests/base/planted.cpp:1", "SPDX")

    def test_prose_of_101_columns(self):
        self.write("docs/page.md", "# page\n\n" + "word " * 20 + "\n")
        self.assertEqual(check.check(self.root), [])
        self.write("docs/page.md", "# page\n\n" + "word " * 20 + "w\n")
        self.expect("docs/page.md:3", "101 columns")

    def test_tables_code_and_link_targets_may_be_wide(self):
        wide = "word " * 30
        self.write("docs/page.md", f"| {wide} |\n\n```text\n{wide}\n```\n\n"
                   f"[a page](https://example.org/{'far/' * 30})\n")
        self.assertEqual(check.check(self.root), [])
        self.write("docs/page.md", f"```text\n{wide}\n```\n{wide}\n")
        self.expect("docs/page.md:4", "150 columns")

    def test_link_that_leads_nowhere(self):
        self.write("docs/page.md", "[one](../ARCHITECTURE.md#part), [two](#here), "
                   "[three](https://example.org), [four](.)\n")
        self.assertEqual(check.check(self.root), [])
        self.write("docs/page.md", "# page\n[one](ARCHITECTURE.md)\n")
        self.expect("docs/page.md:2", "leads nowhere")

    def test_unfinished_mark(self):
        self.write("docs/page.md", "all\n" + "TO" + "DO: the rest\n")
        self.expect("docs/page.md:2", "unfinished")

    def test_path_of_one_machine(self):
        self.write("docs/page.md", "see " + "/ho" + "me/me/vinci\n")
        self.expect("docs/page.md:1", "one machine")

    def test_malformed_package_line(self):
        self.write("packages.txt", "build cmake\ncmake build g++\n")
        self.expect("packages.txt:2", "section package")

    def test_package_listed_twice(self):
        self.write("packages.txt", "build cmake\ntest cmake\n")
        self.expect("packages.txt:2", "line 1 already")

    def test_download_address_in_the_lock_file(self):
        self.write("web/package-lock.json", '{\n"resolved": "https://example.org/three.tgz"\n}\n')
        self.expect("web/package-lock.json:2", "download address")


if __name__ == "__main__":
    unittest.main()
