#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables and the performance profile of what benchmark-solvers measured.

Usage: report.py RUN.json [--tight RUN12.json] [--picture FILE.svg]
prints markdown. --tight names a run of our solvers at a tighter tolerance; --picture draws the
performance profile [Dolan, More 2002]: the part of the problems that a solver solves within a
multiple of the time of the fastest one.
"""
import argparse
import json
import math


def load(path):
    with open(path, encoding="utf-8") as file:
        problems = json.load(file)["problems"]
    for problem in problems:
        for run in problem["runs"]:
            if run["residual"] is None:  # JSON has no infinity
                run["residual"] = math.inf
    return sorted(problems, key=lambda p: (p["class"], p["rows"], p["name"]))


def accepted(runs):
    return [run for run in runs if run["finish"] == "accepted"]


def side(problem, name):
    return [run for run in problem["runs"] if run["side"] == name]


def seconds(run, problem, condensing=True):
    """CPU seconds; who was given W is charged what condensing costs us, unless told otherwise."""
    extra = problem["condense_seconds"] if run.get("condensed") and condensing else 0.0
    return run["cpu_seconds"] + extra


def fastest(runs, problem, condensing=True):
    return min(accepted(runs), key=lambda run: seconds(run, problem, condensing), default=None)


def of_solver(problem, name):
    return next((run for run in side(problem, "Vinci") if run["solver"] == name), None)


def short_time(value):
    if value >= 1.0:
        return f"{value:.3g} s"
    return f"{1e3 * value:.3g} ms" if value >= 1e-3 else f"{1e6 * value:.3g} µs"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


REFUSED = {"solver": "auto", "finish": "refused", "status": "refused", "residual": math.inf,
           "rounding": math.inf, "cpu_seconds": math.inf}


class Row:
    """One problem: our `auto`, our fastest, the peer's fastest."""

    def __init__(self, problem, condensing=True):
        self.problem = problem
        self.auto = of_solver(problem, "auto") or REFUSED
        self.ours = fastest(side(problem, "Vinci"), problem)
        self.peer = fastest(side(problem, "Siconos"), problem, condensing)
        self.peer_seconds = seconds(self.peer, problem, condensing) if self.peer else None
        self.solved = self.auto["finish"] == "accepted"

    @property
    def name(self):
        return f"{self.problem['class']}/{self.problem['name']}"

    @property
    def ratio(self):
        if not (self.solved and self.peer):
            return None
        return self.auto["cpu_seconds"] / self.peer_seconds


def print_problems(rows):
    print("| class | problem | rows | `auto` | residual | time | our fastest | Siconos's fastest "
          "| time | ratio |")
    print("|---|---|---:|---|---:|---:|---|---|---:|---:|")
    for row in rows:
        auto, problem = row.auto, row.problem
        own = f"{row.ours['solver']} {short_time(row.ours['cpu_seconds'])}" if row.ours else "-"
        if row.ours and row.ours["solver"] == "auto":
            own = "`auto`"
        print(f"| {problem['class']} | {problem['name']} | {problem['rows']} "
              f"| {auto['status'] or auto['finish']} | {auto['residual']:.1e} "
              f"| {short_time(auto['cpu_seconds'])} | {own} "
              f"| {row.peer['solver'] if row.peer else 'none'} "
              f"| {short_time(row.peer_seconds) if row.peer else '-'} "
              f"| {'-' if row.ratio is None else f'{row.ratio:.2f}'} |")


def names(rows):
    return ", ".join(row.name for row in rows) or "none"


def print_summary(rows, given):
    both = [row for row in rows if row.ratio is not None]
    wrong = [row for row in rows if row.auto["status"] == "solved" and not row.solved]
    proved = [row for row in rows if row.auto["status"] == "no solution"]
    print(f"- `auto` solves {sum(row.solved for row in rows)} of {len(rows)} problems; proves that "
          f"there is no solution: {names(proved)}; neither: "
          f"{names([row for row in rows if not row.solved and row not in proved])}; called solved "
          f"but not: {names(wrong)}")
    print(f"- Siconos's virtual best solves {sum(row.peer is not None for row in rows)}; only we: "
          f"{names([row for row in rows if row.solved and not row.peer])}; only Siconos: "
          f"{names([row for row in rows if row.peer and not row.solved])}")
    if not both:
        return
    print(f"- time of `auto` over that of the virtual best: geometric mean "
          f"{geometric_mean([row.ratio for row in both]):.2f} over {len(both)} problems; "
          f"at most 2 on {sum(row.ratio <= 2.0 for row in both)}, at most 1 on "
          f"{sum(row.ratio <= 1.0 for row in both)}")
    for kind in sorted({row.problem["class"] for row in both}):
        part = [row for row in both if row.problem["class"] == kind]
        print(f"  - {kind}: geometric mean {geometric_mean([row.ratio for row in part]):.2f}, "
              f"worst {max(row.ratio for row in part):.2f}, {len(part)} problems")
    large = [row for row in both if row.peer_seconds >= 1e-5]
    if large:
        print(f"- the {len(large)} of them on which the virtual best takes 10 µs or more: "
              f"geometric mean {geometric_mean([row.ratio for row in large]):.2f}, worst "
              f"{max(row.ratio for row in large):.2f}")
    worst = sorted(both, key=lambda row: -row.ratio)[:10]
    print("- worst: " + ", ".join(f"{row.name} {row.ratio:.2f}" for row in worst))
    given = [row for row in given if row.ratio is not None]
    print(f"- Siconos is charged our condensation where a problem has velocities; with W given to "
          f"it the geometric mean is {geometric_mean([row.ratio for row in given]):.2f}, at most 2 "
          f"on {sum(row.ratio <= 2.0 for row in given)}")


def growth(points):
    """Slope of log time over log rows, least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread > 0 else None


def print_growth(rows):
    print("| class | problems | rows | `auto`, smallest to largest | time grows as rows to the "
          "power |")
    print("|---|---:|---|---|---:|")
    groups = {}
    for row in rows:
        if row.solved and row.problem["rows"] >= 20:
            prefix = row.problem["name"].split("_")[0]
            label = f"lcp, {prefix}" if prefix in ("normal", "pyramid") else row.problem["class"]
            groups.setdefault(label, []).append(row)
    for label, group in sorted(groups.items()):
        if len(group) < 3:
            continue
        group.sort(key=lambda row: row.problem["rows"])
        ends = [short_time(row.auto["cpu_seconds"]) for row in (group[0], group[-1])]
        slope = growth([(row.problem["rows"], row.auto["cpu_seconds"]) for row in group])
        print(f"| {label} | {len(group)} "
              f"| {group[0].problem['rows']} to {group[-1].problem['rows']} "
              f"| {ends[0]} to {ends[1]} | {slope:.2f} |")
    for low, high, goal in ((250, 400, 0.01), (1600, 1800, 1.0)):
        found = [row for row in rows if row.problem["name"].startswith("pyramid")
                 and low <= row.problem["rows"] <= high]
        for row in found:
            met = row.solved and row.auto["cpu_seconds"] <= goal
            print(f"\nPyramid of {row.problem['rows']} rows ({row.problem['name']}): "
                  f"{short_time(row.auto['cpu_seconds'])}, goal {short_time(goal)}: "
                  f"{'met' if met else 'not met'}.")


def print_tight(problems):
    rows = [Row(problem) for problem in problems]
    reached = [row for row in rows if row.solved]
    print(f"{len(reached)} of {len(rows)} problems reach "
          f"{min(problem['tolerance'] for problem in problems):.0e}. The others:\n")
    print("| problem | rows | reached | what rounding of w makes | rank of W | condition on it |")
    print("|---|---:|---:|---:|---:|---:|")
    for row in rows:
        if row.solved:
            continue
        about = row.problem.get("conditioning") or {}
        rank, condition = about.get("rank"), about.get("condition")
        print(f"| {row.name} | {row.problem['rows']} | {row.auto['residual']:.1e} "
              f"| {row.auto['rounding']:.1e} | {'-' if rank is None else rank} "
              f"| {'-' if condition is None else f'{condition:.1e}'} |")


def print_peers(problems):
    """Each solver of the peer on any storage: how often it solves, how often it is fastest."""
    solves, wins, tried = {}, {}, {}
    for problem in problems:
        runs = side(problem, "Siconos")
        best = fastest(runs, problem)
        def label(run, kind=problem["class"]):
            return f"{kind} {run['solver'].split(',')[0]}"

        for name in {label(run) for run in runs}:
            tried[name] = tried.get(name, 0) + 1
        for name in {label(run) for run in accepted(runs)}:
            solves[name] = solves.get(name, 0) + 1
        if best:
            wins[label(best)] = wins.get(label(best), 0) + 1
    print("| class, solver | problems | solved | fastest of Siconos's |\n|---|---:|---:|---:|")
    for name in sorted(tried, key=lambda key: (key.split()[0], -solves.get(key, 0), key)):
        print(f"| {name} | {tried[name]} | {solves.get(name, 0)} | {wins.get(name, 0)} |")


def profile(times):
    """Curves of a table solver -> time a problem (None: not solved)."""
    count = len(next(iter(times.values())))
    best = [min((column[i] for column in times.values() if column[i] is not None), default=None)
            for i in range(count)]
    curves = {}
    for name, column in times.items():
        ratios = sorted(t / b for t, b in zip(column, best) if t is not None)
        curves[name] = ([1.0], [sum(r <= 1.0 for r in ratios) / count])
        for i, ratio in enumerate(ratios):
            curves[name][0].append(ratio)
            curves[name][1].append((i + 1) / count)
    return curves


def profile_times(problems):
    solvers = []
    for problem in problems:
        for run in side(problem, "Vinci"):
            if run["solver"] not in solvers:
                solvers.append(run["solver"])
    times = {}
    for solver in solvers:
        runs = [of_solver(problem, solver) for problem in problems]
        times[solver] = [run["cpu_seconds"] if run and run["finish"] == "accepted" else None
                         for run in runs]
    best = [fastest(side(problem, "Siconos"), problem) for problem in problems]
    times["Siconos, virtual best"] = [seconds(run, problem) if run else None
                                      for run, problem in zip(best, problems)]
    return times


def draw(problems, path):
    import matplotlib
    matplotlib.use("svg" if path.endswith(".svg") else "agg")
    matplotlib.rcParams["svg.hashsalt"] = "vinci"  # the same picture from the same numbers
    import matplotlib.pyplot as plot

    problems = [p for p in problems if side(p, "Siconos")]
    figure, axes = plot.subplots(figsize=(9.0, 4.6))
    others = iter(("#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#e6ab02", "#a6761d", "#1f78b4",
                   "#b2df8a", "#fb9a99", "#6a3d9a"))
    for name, (x, y) in profile(profile_times(problems)).items():
        x, y = x + [1e4], y + [y[-1]]
        if name == "auto":
            axes.step(x, y, where="post", color="#d62728", linewidth=2.8, label="Vinci, auto",
                      zorder=5)
        elif name.startswith("Siconos"):
            axes.step(x, y, where="post", color="black", linewidth=2.2, linestyle="--", label=name,
                      zorder=4)
        else:
            axes.step(x, y, where="post", color=next(others, "#999999"), linewidth=1.2,
                      label=f"Vinci, {name}")
    axes.set_xscale("log")
    axes.set_xlim(1.0, 1e3)
    axes.set_ylim(0.0, 1.02)
    axes.set_xlabel("CPU time over that of the fastest")
    axes.set_ylabel(f"part of {len(problems)} problems solved")
    axes.grid(True, alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--tight", help="a run of our solvers at a tighter tolerance")
    parser.add_argument("--picture", help="draw the performance profile into this .svg or .png")
    parser.add_argument("--peers", action="store_true", help="a table of the peer's solvers too")
    arguments = parser.parse_args()
    problems = load(arguments.run)
    rows = [Row(problem) for problem in problems]
    print_problems(rows)
    print()
    print_summary(rows, [Row(problem, condensing=False) for problem in problems])
    print()
    print_growth(rows)
    if arguments.tight:
        print()
        print_tight(load(arguments.tight))
    if arguments.peers:
        print()
        print_peers(problems)
    if arguments.picture:
        draw(problems, arguments.picture)


if __name__ == "__main__":
    main()
