"""The tables of measured figures: eight headline figures in the README, all figures in docs/measurements.md.

python -m bench.figures           # print the full table
python -m bench.figures --write   # write both tables between their markers
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.figure import Figure, Results
from bench.measuring import RESULTS
from bench.quoted import FIGURES
from bench.scoreboard import scoreboard

ROOT = RESULTS.parent.parent
MEASUREMENTS = ROOT / "docs" / "measurements.md"
README, README_JA = ROOT / "README.md", ROOT / "README.ja.md"
JAPANESE = (
    (r" of ([\d,]+) questions", r"(\1 問)"),
    (r"(\d+ ms), (\d+) of them in both servers", r"\1(うち 2 つのサーバーで \2 ms)"),
    (r"within ([\d.]+)×", r"\1 倍以内"),
    ("faster than both", "両方より速い"),
    ("more than half", "半分より上"),
    (r"; ([.\d]+) out of scope, ([.\d]+) inside", r";範囲外 \1、範囲内 \2"),
    (r"p95 of (\d+) ms", r"p95 が \1 ms"),
    (r": met", ":達成"),
    (r": \*\*missed\*\*", ":**未達**"),
)
"""Pairs of a regular expression for an English phrase in the headline figures, and its Japanese replacement."""
BEGIN, END = "<!-- figures: made by `python -m bench.figures --write` -->", "<!-- end of figures -->"


def _goal(figure: Figure, result: Any) -> str:
    if figure.met is None:
        return figure.goal
    return f"{figure.goal}: {'met' if figure.met(result) else '**missed**'}"


def results(folder: Path = RESULTS) -> dict[str, Any]:
    """Return the saved results of all scripts by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def table(found: Results) -> str:
    """Return the table of all figures that have a saved result, as Markdown."""
    lines = ["| measure | figure | goal | script |", "|---|---|---|---|"]
    for figure in FIGURES:
        if figure.script in found and (figure.size is None or figure.size in found[figure.script]["at"]):
            one = found[figure.script]
            module = figure.script.partition("-")[0]
            lines.append(
                f"| {figure.label} | {figure.text(one)}{_reserved(one)} | {_goal(figure, one)} | `bench/{module}.py` |"
            )
    return "\n".join(lines)


def headlines(found: Results, *, japanese: bool = False) -> str:
    """Return the README's table: each headline figure with its goal, and if the goal is met."""
    heads = "| 測ったもの | 結果 | 目標 |" if japanese else "| measure | figure | goal |"
    return "\n".join([heads, "|---|---|---|", *_headline_rows(found, japanese=japanese)])


def _headline_rows(found: Results, *, japanese: bool) -> Iterator[str]:
    for figure in FIGURES:
        if figure.headline and figure.script in found:
            values = f"{figure.text(found[figure.script])} | {_goal(figure, found[figure.script])}"
            for english, translated in JAPANESE if japanese else ():
                values = re.sub(english, translated, values)
            yield f"| {figure.headline[japanese]} | {values} |"


def _reserved(one: Any) -> str:
    """Return the caveat of a saved result: measured before results were saved, or on a busy machine; "" if there is
    none.
    """
    if "taken_over" in one:
        return ", taken over"
    machine = one["machine"]
    busy = machine.get("load", 0.0) > 2 * machine["cores"]
    return f" (on a busy machine, load {machine['load']:.0f})" if busy else ""


def machines(found: Results) -> str:
    """Return a sentence that names the machines and the dates of the measurements."""
    kinds = sorted({_machine(one) for one in found.values() if "machine" in one})
    dates = sorted(one["measured_at"][:10] for one in found.values() if "measured_at" in one)
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    earlier = "Figures marked as taken over were measured before results were stored."
    return f"Measured {when} on {'; '.join(kinds)}; ratios are from interleaved rounds. {earlier}"


def _machine(one: Any) -> str:
    machine = one["machine"]
    return f"{machine['cores']} cores ({machine['processor']}), Python {machine['python']}"


def put_into(text: str, table_lines: str) -> str:
    """Return the page `text` with `table_lines` between its markers."""
    fresh = f"{BEGIN}\n{table_lines}\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: fresh, text, flags=re.DOTALL)


def pages(found: Results) -> dict[Path, str]:
    """Return the new text of every page that quotes figures, with its tables replaced, by path."""
    tables = {
        README: headlines(found),
        README_JA: headlines(found, japanese=True),
        MEASUREMENTS: f"{scoreboard(found)}\n\n### All of them\n\n{table(found)}\n\n{machines(found)}",
    }
    return {path: put_into(path.read_text(encoding="utf-8"), lines) for path, lines in tables.items()}


def main() -> None:
    """Print the full table, or write the tables into the pages that quote them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        for path, text in pages(results()).items():
            path.write_text(text, encoding="utf-8")
    else:
        print(f"{table(results())}\n\n{machines(results())}")


if __name__ == "__main__":
    main()
