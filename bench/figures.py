"""The table of figures that the README quotes, made from what the scripts wrote down.

python -m bench.figures            # prints it
python -m bench.figures --readme   # puts it into the README, between its marks
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

from bench.measuring import RESULTS
from bench.quoted import FIGURES, Figure, Results

README = RESULTS.parent.parent / "README.md"
BEGIN, END = "<!-- figures: made by `python -m bench.figures --readme` -->", "<!-- end of figures -->"


def _goal(figure: Figure, result: Any) -> str:
    if figure.met is None:
        return figure.goal
    return f"{figure.goal}: {'met' if figure.met(result) else '**missed**'}"


def results(folder: Path = RESULTS) -> dict[str, Any]:
    """What the scripts wrote down, by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def table(found: Results) -> str:
    """The table as Markdown: a line for each figure whose script has written something down."""
    lines = ["| what | figure | goal | by |", "|---|---|---|---|"]
    for each in FIGURES:
        if each.script in found and (each.size is None or each.size in found[each.script]["at"]):
            one = found[each.script]
            module = each.script.partition("-")[0]
            lines.append(
                f"| {each.what} | {each.said(one)}{_reserved(one)} | {_goal(each, one)} | `bench/{module}.py` |"
            )
    return "\n".join(lines)


def _reserved(one: Any) -> str:
    """What a reader has to know before trusting a figure."""
    if "taken_over" in one:
        return ", taken over"
    machine = one["machine"]
    busy = machine.get("load", 0.0) > 2 * machine["cores"]
    return f" (on a busy machine, load {machine['load']:.0f})" if busy else ""


def machines(found: Results) -> str:
    """On what it was measured."""
    kinds = sorted({_machine(one) for one in found.values() if "machine" in one})
    dates = sorted(one["measured_at"][:10] for one in found.values() if "measured_at" in one)
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    earlier = "What was taken over was measured before results were kept."
    return f"Measured {when} on {'; '.join(kinds)}; ratios are of interleaved rounds. {earlier}"


def _machine(one: Any) -> str:
    machine = one["machine"]
    return f"{machine['cores']} cores ({machine['processor']}), Python {machine['python']}"


def put_into(text: str, found: Results) -> str:
    """The README with the table between its marks."""
    fresh = f"{BEGIN}\n{table(found)}\n\n{machines(found)}\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: fresh, text, flags=re.DOTALL)


def main() -> None:
    """Print the table, or put it into the README."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readme", action="store_true")
    if parser.parse_args().readme:
        README.write_text(put_into(README.read_text(encoding="utf-8"), results()), encoding="utf-8")
    else:
        print(f"{table(results())}\n\n{machines(results())}")


if __name__ == "__main__":
    main()
