# SPDX-License-Identifier: Apache-2.0
"""What `make demo` ends with: a figure of some runs of the gallery, and a page that leads to the
pages of all of them. gallery.py FOLDER: the folder with the recordings."""

import html
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

import vinci.plot  # noqa: E402


def draw(folder: pathlib.Path) -> pathlib.Path:
    figure, axes = pyplot.subplots(2, 2, figsize=(10, 7), layout="constrained")
    vinci.plot.trajectories(folder / "cup_on_pegs.h5", ax=axes[0, 0])
    axes[0, 0].set_title("a cup falls through pegs")
    vinci.plot.phase(folder / "bouncing_ball.h5", "ball", "y", ax=axes[0, 1])
    axes[0, 1].set_title("a ball bounces to rest")
    vinci.plot.cone_usage(folder / "changing_friction.h5", most=2, ax=axes[1, 0])
    axes[1, 0].set_title("friction that changes during the run")
    vinci.plot.energy(folder / "tumbling_parts.h5", ax=axes[1, 1])
    axes[1, 1].set_title("parts tumble to the floor")
    figure.savefig(folder / "gallery.png", dpi=110)
    return folder / "gallery.png"


def write_index(folder: pathlib.Path, figure: pathlib.Path) -> pathlib.Path:
    items = []
    for page in sorted(folder.glob("*.html")):
        recording = page.with_suffix(".h5")
        if recording.exists():
            title = vinci.Recording(recording).title or page.stem
            items.append(f'<li><a href="{html.escape(page.name)}">{html.escape(title)}</a></li>')
    index = folder / "index.html"
    index.write_text(f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Vinci, the gallery</title>
<style>
  body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem;
         color-scheme: light dark; }}
  img {{ max-width: 100%; background: white; border-radius: 6px; }}
  ul {{ columns: 2; }}
</style></head>
<body><h1>Vinci, the gallery</h1>
<ul>{''.join(items)}</ul>
<img src="{figure.name}" alt="Plots of four of the runs">
</body></html>
""", encoding="utf-8")
    return index


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    figure = draw(folder)
    index = write_index(folder, figure)
    print(f"""
Look at it:
  xdg-open {index}
      pages of all runs; each is one file that opens offline
  build/vinci view {folder / "stack.h5"}
      the same from the recording itself
  xdg-open {figure}
      a figure, made by examples/gallery.py
Script it:
  PYTHONPATH=build/python /usr/bin/python3 examples/falling_box.py
Then read docs/tutorial.md.""")


if __name__ == "__main__":
    main()
