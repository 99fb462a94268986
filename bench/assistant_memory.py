"""What the memory of an assistant shows after simulated months, with forgetting on and off, and against BM25.

    python -m bench.assistant_memory --dataset FOLDER [--embedder SPEC]

The conversations are those of `bench/cue_sets.py`: LoCoMo-Plus if the folder has it, and a generated one. Every turn
goes through the product's own code, with a nightly job for each day and without a language model
(`bench/simulated_memory.py`). At the end these prompts are put to each arm; none of them is recorded:

- trigger: what the user says months after the cue. It has few words in common with the cue.
- restated: the words of the cue itself. It shows what forgetting leaves, even if the trigger cannot find it.
- question: a question about a fact, whose evidence are turns.
- unrelated: prompts to a coding assistant (`bench/feelings.jsonl`), which should be shown nothing.

Arms: the affective memory with the profiles `document` and `coding`; `everything`, the same retrieval without nights;
`similarity`, the same again with equal retention, so that similarity alone ranks; and `bm25`, the five best turns by
BM25 over all turns, in a block of the same form. All take five memories. The affective memory may add up to five
related ones. A memory counts as shown if it is in the block, and as whole if with its whole text.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import mean
from typing import Any, Final
from uuid import UUID

from bench.assistant_arms import EVERYTHING, SIMILARITY, Answering, Lived, Shown, by_bm25, lived
from bench.cue_sets import CONVERSATIONS, MONTH, PLUS, Conversation, generated, locomo_plus
from bench.feelings import labelled
from bench.measured_embedder import measured_on
from bench.measuring import save_figures, table
from bench.simulated_memory import CachedEmbedder
from nemuri_domain.affective.aggregate import ARCHIVED
from nemuri_domain.affective.policy import CODING, DOCUMENT
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.general_texts import GENERAL_TEXTS
from nemuri_infra.embeddings.settings import EmbeddingSettings

BM25: Final = "bm25"
LOCOMO_PLUS: Final = "locomo-plus"
"""Name of the set whose figures are saved."""
MONTHS: Final = (1, 3, 6, 12)
"""Ages of the cues in the series of ages, in months of thirty days."""
RECALLED: Final[dict[str, tuple[timedelta, ...]]] = {
    "once": (timedelta(days=1),),
    "three times": (timedelta(days=1), timedelta(days=7), timedelta(days=30)),
}
"""Times after a cue at which its words come up again, by name. The triggers follow six months after the cue."""
RECALLED_MONTHS: Final = 6


async def asked(prompts: Iterable[tuple[str, Collection[UUID]]], answering: Answering, into: Shown) -> None:
    """Put prompts to an arm, each with the memories that it should be shown."""
    for prompt, wanted in prompts:
        into.add(await answering(prompt), wanted)


async def probed(conversation: Conversation, life: Lived, answering: Answering, into: dict[str, Shown]) -> None:
    """Put the triggers and the restated cues to an arm."""
    pairs = list(zip(conversation.pairs, life.cues, strict=True))
    await asked(((pair.trigger, {cue}) for pair, cue in pairs), answering, into["trigger"])
    await asked(((pair.cue.prompt, {cue}) for pair, cue in pairs), answering, into["restated"])


async def arms(
    conversations: Sequence[Conversation], unrelated: Sequence[str], embedder: CachedEmbedder
) -> dict[str, Any]:
    """Return the figures of each arm, with the cues at the times that the data give."""
    figures = dict[str, Any]()
    for arm in (DOCUMENT, CODING, EVERYTHING, SIMILARITY, BM25):
        kinds = {kind: Shown() for kind in ("trigger", "restated", "question")}
        blocks, lives = list[int](), list[Lived]()
        for conversation in conversations:
            life = await lived(conversation, EVERYTHING if arm == BM25 else arm, embedder)
            answering = by_bm25(life.memory) if arm == BM25 else life.answer
            lives.append(life)
            await probed(conversation, life, answering, kinds)
            questions = ((question, {life.places[at] for at in places}) for question, places in conversation.questions)
            await asked(questions, answering, kinds["question"])
            blocks += [len((await answering(prompt)).text) for prompt in unrelated]
        figures[arm] = {kind: shown.figures() for kind, shown in kinds.items() if shown.found}
        figures[arm]["unrelated"] = {
            "nothing": round(mean(not block for block in blocks), 3),
            "characters": round(mean(blocks)),
        }
        figures[arm]["stored"] = stored(lives)
        print(arm, figures[arm], flush=True)
    return figures


def stored(lives: Iterable[Lived]) -> dict[str, float]:
    """Return the mean number of active and of archived memories of a conversation, and of characters of all of them."""
    some = [list(life.memory.mind.memories.values()) for life in lives]
    return {
        "active": round(mean(sum(each.level < ARCHIVED for each in one) for one in some), 1),
        "archived": round(mean(sum(each.level == ARCHIVED for each in one) for one in some), 1),
        "characters": round(mean(sum(len(each.trigger) + len(each.content) for each in one) for one in some)),
    }


async def aged(
    conversations: Sequence[Conversation],
    arm: str,
    embedder: CachedEmbedder,
    months: int,
    recalled: Sequence[timedelta] = (),
) -> dict[str, Any]:
    """Return the figures of cues of one age, the shares of the cues at each level (4 is the archive), and the mean
    numbers of nights that they were whole and active.
    """
    kinds, levels = {"trigger": Shown(), "restated": Shown()}, Counter[int]()
    whole, active = list[int](), list[int]()
    for conversation in conversations:
        life = await lived(conversation, arm, embedder, gap=months * MONTH, recalled=recalled)
        await probed(conversation, life, life.answer, kinds)
        levels += life.levels()
        whole += life.nights((1,))
        active += life.nights(range(1, ARCHIVED))
    shares = {str(level): round(levels[level] / levels.total(), 3) for level in range(1, ARCHIVED + 1)}
    nights = {"whole": round(mean(whole), 1), "active": round(mean(active), 1)}
    return {kind: shown.figures() for kind, shown in kinds.items()} | {"levels": shares, "nights": nights}


async def measure(
    conversations: Sequence[Conversation], unrelated: Sequence[str], embedder: CachedEmbedder
) -> dict[str, Any]:
    """Return all figures of a set of conversations."""
    turns = [turn for conversation in conversations for _, some in conversation.sessions for turn in some]
    figures: dict[str, Any] = {
        "conversations": len(conversations),
        "turns": len(turns),
        "cues": sum(len(conversation.pairs) for conversation in conversations),
        "questions": sum(len(conversation.questions) for conversation in conversations),
        "unrelated": len(unrelated) * len(conversations),
        "history_characters": round(sum(len(each.prompt) + len(each.reply) for each in turns) / len(conversations)),
        "arms": await arms(conversations, unrelated, embedder),
        "months": {arm: {} for arm in (DOCUMENT, CODING)},
        "recalled": {arm: {} for arm in (DOCUMENT, CODING)},
    }
    for arm in (DOCUMENT, CODING):
        for months in MONTHS:
            figures["months"][arm][str(months)] = await aged(conversations, arm, embedder, months)
        figures["recalled"][arm]["never"] = figures["months"][arm][str(RECALLED_MONTHS)]
        for name, times in RECALLED.items():
            figures["recalled"][arm][name] = await aged(conversations, arm, embedder, RECALLED_MONTHS, times)
    return figures


def rows(figures: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the printed tables of one set: the arms, then ages and recalls."""
    yield "arm", "trigger", "restated", "question", "characters", "per useful", "nothing", "stored"
    for arm, one in figures["arms"].items():
        shares = [one[kind]["shown"] if kind in one else "-" for kind in ("trigger", "restated", "question")]
        told = one["trigger"]
        yield (
            arm,
            *shares,
            told["characters"],
            told["characters_per_useful"],
            one["unrelated"]["nothing"],
            one["stored"],
        )
    for series in ("months", "recalled"):
        for arm, ages in figures[series].items():
            for name, one in ages.items():
                told = [one[kind][what] for kind in ("trigger", "restated") for what in ("shown", "whole")]
                yield f"{arm}, {series} {name}", *told, *one["nights"].values(), one["levels"]


def sets_of(folder: Path | None) -> dict[str, list[Conversation]]:
    """Return the conversations by set. LoCoMo-Plus is left out with a notice if the folder does not have it."""
    found = {"generated": generated()}
    missing = [name for name in (CONVERSATIONS, PLUS) if folder is None or not (folder / name).exists()]
    if folder is None or missing:
        print(f"LoCoMo-Plus is skipped, because {' and '.join(missing)} is missing in {folder}", flush=True)
        return found
    return {LOCOMO_PLUS: locomo_plus(folder)} | found


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, metavar="FOLDER", help="folder of the public data sets")
    parser.add_argument("--embedder", metavar="SPEC", default="built-in", help="vectors (default: %(default)s)")
    parser.add_argument("--conversations", type=int, help="only the first conversations of each set")
    parser.add_argument("--unrelated", type=int, help="only the first unrelated prompts")
    chosen = parser.parse_args()
    unrelated = [each["prompt"] for each in labelled() if each["language"] == "en"][: chosen.unrelated]
    built = build_embedder(EmbeddingSettings(spec=chosen.embedder))
    embedder = CachedEmbedder(built, asyncio.run(measured_on(built, GENERAL_TEXTS)).calibration)
    figures = dict[str, Any]()
    for name, conversations in sets_of(chosen.dataset).items():
        figures[name] = asyncio.run(measure(conversations[: chosen.conversations], unrelated, embedder))
        print(f"{name}\n{table(list(rows(figures[name])))}", flush=True)
    if LOCOMO_PLUS not in figures:
        print("not saved, because the saved figures are those of LoCoMo-Plus")
        return
    kind = "built-in" if chosen.embedder == "built-in" else "semantic"
    save_figures(f"assistant_memory-{kind}", {"embedder": embedder.model, "at": figures})


if __name__ == "__main__":
    main()
