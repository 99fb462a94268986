"""Comparison of the orders in which similarity and tags are tried to detect the used memories of an answer without
citations.

    python bench/layers.py --dataset jsquad-valid-v1.3.json --dataset locomo10.json

The right answer of a question counts as an answer that used the text with the evidence. People wrote both in
their own words, and not for this benchmark. The context has ten texts of the same article or session. Neither data set
is part of this repository. The labelled set of `bench/attribution.py` is not used, so that the chosen order is not
fitted to it.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from nemuri.evaluation.locomo import read as read_locomo
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.usage_detection import ContextMemory, detect_uses, told_again

AROUND: Final = 10
QUESTIONS: Final = 600
Asked = tuple[str, str, list[int], list[str]]
"""A question; its answer; the positions of the texts that contain its evidence; the texts of its article or
session.
"""


def squad(data: dict[str, Any]) -> Iterator[Asked]:
    """Yield every question of every paragraph."""
    for article in data["data"]:
        texts = [each["context"].split("[SEP]")[-1].strip() for each in article["paragraphs"]]
        for place, paragraph in enumerate(article["paragraphs"]):
            for asked in paragraph["qas"]:
                yield asked["question"], asked["answers"][0]["text"], [place], texts


def locomo(path: Path) -> Iterator[Asked]:
    """Yield every answerable question with evidence, with the turns of the session of its first evidence."""
    for history in read_locomo(path):
        said = {conversation.name: conversation.messages for conversation in history.conversations}
        for asked in history.questions:
            if not asked.evidence or asked.unanswerable:
                continue
            session = min(asked.evidence)[0]
            places = sorted(position for name, position in asked.evidence if name == session)
            yield asked.text, asked.answer, places, [f"{turn.speaker}: {turn.text}" for turn in said[session]]


Places = set[int]


def orders(answer: str, shown: list[ContextMemory]) -> dict[str, Places]:
    """Return the positions of the texts that count as used, by name of the order in which similarity and tags are
    tried.
    """

    def found(**how: Any) -> Places:
        return {use.memory_id.int for use in detect_uses(answer, [], shown, **how)}

    tags, similar = found(detection="tag"), found(detection="similarity")
    return {
        "one tag": tags,
        "similarity": similar,
        "one tag, else similarity": tags or similar,
        "similarity, else one tag": similar or tags,
        "similarity, else two tags (layered)": found(detection="layered"),
    }


def measure(name: str, every: list[Asked]) -> None:
    """Print precision, recall and F1 of each order."""
    rng = random.Random(1)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    chosen = rng.sample(every, min(QUESTIONS, len(every)))
    for question, answer, places, texts in chosen:
        others = [place for place in range(len(texts)) if place not in places]
        picked = places + rng.sample(others, min(len(others), max(0, AROUND - len(places))))
        memories = [MemoryContent(content=texts[place], tags=keywords(texts[place])) for place in picked]
        again = told_again(question, [embedded_text(each) for each in memories], answer)
        shown = [
            ContextMemory(UUID(int=place), memory.tags, told)
            for place, memory, told in zip(picked, memories, again, strict=True)
        ]
        for order, found in orders(answer, shown).items():
            for number, each in enumerate((len(found & set(places)), len(found), len(places))):
                counts[order][number] += each
    print(f"\n{name}: {len(chosen)} answers\n{'':38}precision  recall      F1")
    for order, (right, said, true) in counts.items():
        print(f"{order:38}{right / max(said, 1):9.3f}{right / true:8.3f}{2 * right / (said + true):8.3f}")


def main() -> None:
    """Read the arguments and measure every data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    for path in parser.parse_args().dataset:
        data = json.loads(path.read_text(encoding="utf-8"))
        measure(path.stem, list(squad(data) if isinstance(data, dict) else locomo(path)))


if __name__ == "__main__":
    main()
