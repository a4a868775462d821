# SPDX-License-Identifier: Apache-2.0
"""`vinci study`: commands that it prints can be pasted; what it cannot do is said beforehand."""
import json
import shlex

from study_helpers import ADAPTIVE, SCENE, slide, write


def pasted(vinci, command, *more):
    """What the shell makes of a printed command, run by the same program."""
    words = shlex.split(command)
    assert words[0] == "vinci"
    return vinci(*words[1:], *more)


def test_commands_that_repeat_cases_can_be_pasted_whatever_the_names_are(vinci):
    odd = vinci.folder / "sp ace"
    odd.mkdir()
    (odd / "block.yaml").write_text(SCENE)
    # Every case ends by its number of steps: with verdicts unknown all rounds are run.
    (odd / "my 'study'.yaml").write_text(ADAPTIVE + "limits: {steps: 5}\n")
    for output in ([], ["-o", "elsewhere & 'there'"]):
        said = vinci("study", "run", "sp ace/my 'study'.yaml", *output).stdout
        folder = output[1] if output else "runs/my 'study'.study"
        report = json.loads((vinci.folder / folder / "report.json").read_text())
        command = report["troubled"][0]["command"]
        assert command in said
        assert "the same as in the study" in pasted(vinci, command).stdout
        # One of a later round, which is known from the ledger only.
        words = shlex.split(command)
        later = vinci.json(*words[1:-1], report["cases"] - 1)
        assert later["same"] is True and later["status"] == "timed-out"


def test_commands_that_go_on_can_be_pasted(vinci):
    write(vinci, slide(50))
    vinci("study", "run", "slide.yaml", "-o", "my run")
    refused = vinci("study", "run", "slide.yaml", "-o", "my run", code=2).stderr
    command = refused[refused.index("vinci study resume"):].strip()
    assert "mean" in pasted(vinci, command).stdout


def test_functions_in_python_are_refused_before_anything_is_written(vinci):
    write(vinci, slide(50).replace("{end: block.x}", "{python: way}"))
    assert "from Python only" in vinci("study", "check", "slide.yaml").stdout
    assert vinci.json("study", "check", "slide.yaml")["measures"][0]["python"] is True
    for words in (["run"], ["resume"], ["run", "--slurm"], ["repeat", "3"]):
        name, *more = words
        refused = vinci("study", name, "slide.yaml", *more, code=2).stderr
        assert "measures.way" in refused and "function in Python" in refused
        assert "kept" not in refused and not (vinci.folder / "runs").exists()


def test_what_is_no_number_of_a_case_is_refused(vinci):
    write(vinci, slide(50))
    for number in ("-1", "", "1.5", "1e1", "x", "99999999999999999999999"):
        refused = vinci("study", "repeat", "slide.yaml", number, code=2).stderr
        assert "a whole number, 0 or more" in refused, refused
    vinci("study", "repeat", "slide.yaml", "7")
