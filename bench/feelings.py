"""Accuracy of the lexicon of feelings, on a set of turns that was written and labelled without knowing it.

    python -m bench.feelings

`bench/feelings.jsonl` has 520 prompts to a coding assistant, half of them in Japanese, each with the valence that a
careful person hears in it, the strength of the feeling (0 none, 1 slight, 2 clear, 3 strong) and the category. About a
third are hard: jargon that sounds like feeling, idioms, negations, sarcasm, feelings of others. Nobody who changes the
lexicon may tune it on this file.

Reported for each language: accuracy of the valence, the same for turns without feeling (calm work must stay calm) and
for clear or strong feelings, the accuracy of always answering `neutral`, and the accuracy of the category.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from bench.measuring import save_figures, table
from nemuri_domain.affective.turn_reader import read_turn

TURNS = Path(__file__).with_name("feelings.jsonl")


def labelled() -> list[dict[str, Any]]:
    """Return the labelled turns."""
    return [orjson.loads(line) for line in TURNS.read_bytes().splitlines()]


def share(hits: Sequence[bool]) -> float:
    """Return the share of hits, 0 to 1."""
    return round(sum(hits) / len(hits), 3)


def figures(turns: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the accuracies on these turns."""
    read = [read_turn(turn["prompt"], "") for turn in turns]
    right = [one.emotion.valence == each["valence"] for one, each in zip(read, turns, strict=True)]
    by_strength = [(hit, each["strength"]) for hit, each in zip(right, turns, strict=True)]
    return {
        "valence": share(right),
        "calm": share([hit for hit, strength in by_strength if strength == 0]),
        "felt": share([hit for hit, strength in by_strength if strength >= 2]),
        "always_neutral": share([turn["valence"] == "neutral" for turn in turns]),
        "category": share([one.category == each["category"] for one, each in zip(read, turns, strict=True)]),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args(arguments)
    turns = labelled()
    found = {name: figures([turn for turn in turns if turn["language"] == name]) for name in ("en", "ja")}
    rows = [(name, *each.values()) for name, each in found.items()]
    sys.stdout.write(table([("language", *found["en"]), *rows]))
    save_figures("feelings", {"turns": len(turns)} | found)


if __name__ == "__main__":
    main()
