"""Accuracy, agreement and cost of each method of usage detection.

    python bench/attribution.py                    # the table
    python bench/attribution.py --prompts FILE     # the judge's prompts, without the labels

The labelled set `bench/attribution.jsonl` was written by hand for this benchmark. A memory is labelled as used if the
answer shows content specific to it, or argues against it. The judge's replies are recorded in
`bench/attribution_judge.jsonl` ({"id", "reply"} on each line), written by a language model that was given the prompts
of `--prompts` and nothing else.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from bench.measuring import save_figures
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.citations import cited_labels
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.policy import Detection
from nemuri_domain.strength.usage_detection import ContextMemory, detect_uses, told_again
from nemuri_infra.models.chat import ChatReply
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.protocol import UnreadableReplyError
from nemuri_infra.models.sources import Source

HERE: Final = Path(__file__).parent
SET: Final = HERE / "attribution.jsonl"
REPLIES: Final = HERE / "attribution_judge.jsonl"
PURE: Final[tuple[Detection, ...]] = ("layered", "citation", "tag", "similarity")


class Held(BaseModel):
    """A memory in the context."""

    model_config = ConfigDict(extra="forbid")

    id: str
    content: str
    tags: tuple[str, ...]


class Example(BaseModel):
    """An answer and the memories in its context. `used` has the ids of the memories that a person labelled as used."""

    model_config = ConfigDict(extra="forbid")

    id: str
    language: str
    case: str
    question: str
    memories: tuple[Held, ...]
    answer: str
    used: frozenset[str]

    @property
    def job(self) -> JudgeJob:
        """Return the input of the usage judge."""
        return JudgeJob(
            self.question, self.answer, tuple(Source(memory.id, memory.content) for memory in self.memories)
        )


@dataclass
class Verdicts:
    """The memories that one method detected as used, for each example, and the cost of the method."""

    name: str
    found: dict[str, frozenset[str]]
    milliseconds: float = 0.0
    """CPU milliseconds per answer."""
    tokens: float = 0.0
    """Estimated tokens of the prompt and the reply, per answer."""


def examples() -> list[Example]:
    """Return the labelled examples."""
    return [Example.model_validate_json(line) for line in SET.read_text(encoding="utf-8").splitlines()]


def shown(example: Example) -> list[ContextMemory]:
    """Return the memories of an example with their tags, and with the share of each that the answer says again.

    The attribution service compares memories and answers in the same way.
    """
    texts = [embedded_text(MemoryContent(content=memory.content, tags=memory.tags)) for memory in example.memories]
    again = told_again(example.question, texts, example.answer)
    return [
        ContextMemory(UUID(int=number), each.tags, told)
        for number, (each, told) in enumerate(zip(example.memories, again, strict=True))
    ]


def pure(detection: Detection, every: Sequence[Example]) -> Verdicts:
    """Return the decisions of a detection method that calls no model."""
    verdicts, spent = Verdicts(detection, {}), 0.0
    for example in every:
        began = time.process_time()
        compared = shown(example)
        labels = {each.id: UUID(int=number) for number, each in enumerate(example.memories)}
        citations = [labels[label] for label in cited_labels(example.answer, labels)]
        found = detect_uses(
            example.answer,
            citations,
            compared,
            complete=bool(cited_labels(example.answer, [*labels, *(f"d{number}" for number in range(1, 10))])),
            detection=detection,
        )
        spent += time.process_time() - began
        names = {each.int: held.id for each, held in zip(labels.values(), example.memories, strict=True)}
        verdicts.found[example.id] = frozenset(names[use.memory_id.int] for use in found)
    verdicts.milliseconds = 1_000 * spent / len(every)
    return verdicts


def extractive(every: Sequence[Example]) -> Verdicts:
    """Return the decisions of the extractive judge, which works without a language model."""
    began = time.process_time()
    found = {example.id: frozenset(example.job.without_model()) for example in every}
    return Verdicts("judge, extractive", found, milliseconds=1_000 * (time.process_time() - began) / len(every))


def recorded(every: Sequence[Example], layered: Verdicts) -> tuple[Verdicts, int] | None:
    """Return the decisions of the recorded judge, and the number of its unreadable replies; None if no replies are
    recorded.

    For an example with an unreadable reply, the decision in `layered` is taken. Exits with an error if a reply is
    missing.
    """
    if not REPLIES.exists():
        return None
    lines = map(json.loads, REPLIES.read_text(encoding="utf-8").splitlines())
    replies: dict[str, str] = {line["id"]: line["reply"] for line in lines}
    if missing := [each.id for each in every if each.id not in replies]:
        sys.exit(f"{REPLIES} has no replies to {len(missing)} prompts, such as {', '.join(missing[:5])}")
    verdicts, unread, tokens = Verdicts("judge, recorded", {}), 0, 0
    for example in every:
        reply = replies[example.id]
        try:
            verdicts.found[example.id] = frozenset(example.job.read(ChatReply(reply)))
        except UnreadableReplyError:
            unread += 1
            verdicts.found[example.id] = layered.found[example.id]
        asked = example.job.chat_request()
        tokens += sum(map(estimate_tokens, (asked.system, asked.user, reply)))
    verdicts.tokens = tokens / len(every)
    return verdicts, unread


def labels(every: Iterable[Example]) -> Verdicts:
    """Return the labels of the examples in the form of a method's decisions."""
    return Verdicts("labels", {example.id: example.used for example in every})


def decisions(every: Iterable[Example], of: Verdicts) -> list[bool]:
    """Return one value for each memory of each example, in order: True if `of` counts it as used."""
    return [held.id in of.found[example.id] for example in every for held in example.memories]


def scores(truth: Sequence[bool], said: Sequence[bool]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over memories; each is 0 if undefined."""
    right = sum(one and other for one, other in zip(truth, said, strict=True))
    precision = right / sum(said) if any(said) else 0.0
    recall = right / sum(truth) if any(truth) else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def chance(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Return the share of equal decisions that is expected if the two methods decide independently."""
    first, second = sum(one) / len(one), sum(other) / len(other)
    return first * second + (1 - first) * (1 - second)


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float:
    """Return Cohen's kappa, the agreement beyond chance: 1 is complete, 0 is none.

    Returns 1 if complete agreement is expected by chance alone.
    """
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    expected = chance(one, other)
    return 1.0 if expected == 1 else (agreed - expected) / (1 - expected)


def write_prompts(path: Path, every: Iterable[Example]) -> int:
    """Write the judge's prompts as `PromptedModel` sends them, one JSON object per line. Return their number."""
    lines = []
    for example in every:
        asked = example.job.chat_request()
        lines.append(json.dumps({"id": example.id, "system": asked.system, "user": asked.user}, ensure_ascii=False))
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return len(lines)


def table(title: str, every: Sequence[Example], ways: Sequence[Verdicts]) -> None:
    """Print one line for each method: precision, recall, F1, the share of answers with all memories decided correctly,
    and Cohen's kappa with the labels.
    """
    truth = decisions(every, labels(every))
    print(f"\n{title}: {len(every)} answers, {len(truth)} memories, {sum(truth)} of them used")
    print(f"{'':20}precision  recall      F1   exact   kappa")
    for way in ways:
        said = decisions(every, way)
        precision, recall, f1 = scores(truth, said)
        exact = sum(way.found[example.id] == example.used for example in every) / len(every)
        print(f"{way.name:20}{precision:9.3f}{recall:8.3f}{f1:8.3f}{exact:8.3f}{kappa(truth, said):8.3f}")


def agreement(every: Sequence[Example], ways: Sequence[Verdicts]) -> None:
    """Print Cohen's kappa for each pair of methods."""
    print("\nagreement with each other (Cohen's kappa)")
    for one, other in combinations(ways, 2):
        print(f"{one.name:20}{other.name:20}{kappa(decisions(every, one), decisions(every, other)):7.3f}")


def by_case(every: Sequence[Example], ways: Sequence[Verdicts]) -> None:
    """Print the share of answers with all memories decided correctly, for each kind of difficulty."""
    print(f"\nexact by case{'':12}" + "".join(f"{way.name.split(', ')[-1]:>12}" for way in ways))
    for case in sorted({example.case for example in every}):
        mine = [example for example in every if example.case == case]
        print(f"{case:20}{len(mine):5}" + "".join(f"{share(mine, way):12.2f}" for way in ways))


def share(every: Sequence[Example], way: Verdicts) -> float:
    """Return the share of answers with all memories decided correctly."""
    return sum(way.found[example.id] == example.used for example in every) / len(every)


def measured() -> None:
    """Measure every method over the whole set and for each language, print the tables and save the F1 values."""
    every = examples()
    ways = [pure(detection, every) for detection in PURE]
    ways.append(extractive(every))
    judge = recorded(every, ways[0])
    if judge is not None:
        ways.append(judge[0])
    for language, chosen in languages(every):
        table(language, chosen, ways)
    truth = decisions(every, labels(every))
    save_figures(
        "attribution",
        {"answers": len(every), "f1": {each.name: scores(truth, decisions(every, each))[2] for each in ways}},
    )
    agreement(every, ways)
    by_case(every, ways)
    print("\ncost of an answer")
    for way in ways:
        cost = f"about {way.tokens:.0f} tokens of a model" if way.tokens else f"{way.milliseconds:.2f} ms CPU"
        print(f"{way.name:20}{cost}")
    if judge is None:
        print(f"\nThe judge is missing: no replies at {REPLIES}. Give the prompts of --prompts to a language model.")
    elif judge[1]:
        print(f"\n{judge[1]} replies of the judge are unreadable; the layered method decided on these answers.")


def languages(every: Sequence[Example]) -> list[tuple[str, list[Example]]]:
    """Return three lists of examples, each with a title: all examples, the English and the Japanese ones."""
    names: list[tuple[str, Callable[[Example], bool]]] = [
        ("all", lambda _: True),
        ("English", lambda one: one.language == "en"),
        ("Japanese", lambda one: one.language == "ja"),
    ]
    return [(name, [example for example in every if chosen(example)]) for name, chosen in names]


def main() -> None:
    """Read the arguments and print the tables or write the prompts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.prompts:
        print(f"{write_prompts(arguments.prompts, examples())} prompts in {arguments.prompts}")
    else:
        measured()


if __name__ == "__main__":
    main()
