"""Facts found in long documents by their position, Japanese and English, with the extractive model.

    python -m bench.document_facts --dataset FOLDER [--facts 20] [--embedder SPEC]

The documents are those of `bench/reading_sets.py`: LoCoMo conversations, JSQuAD articles and mixed paragraphs from the
files in the folder, and generated reports on one subject. Each question goes through the selection of passages and the
extractive model, as in the platform. Two stages are measured:

- read: a passage in the prompt holds the whole turn, or the sentence with the answer.
- answered: a quote of the answer comes from the right turn, paragraph or entry.

Baselines in the same run: BM25 over turns and paragraphs, of which six are taken, as many as an answer quotes, and
BM25 over passages of 1,500 characters, of which eight are taken, as many characters as a prompt has. Constants were
chosen on every second document (`tuning`); the others (`unseen`) were only measured. `channels` are the answered
questions on all documents with some channels of the search switched off.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Final

from bench.measured_embedder import measured_on
from bench.measuring import save_figures, table
from bench.reading_sets import Fact, Material, Span, articles, conversations, mixed, reports
from nemuri.evaluation.contexts import TurnSearch
from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.general_texts import GENERAL_TEXTS
from nemuri_infra.embeddings.settings import EmbeddingSettings
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.extractive_answers import MAX_QUOTES
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.stores.blobs import Blobs, text_cache
from nemuri_services.specialist.passage_search import ALL_CHANNELS, Channels, Wanted
from nemuri_services.specialist.passage_selection import READ_CHARACTERS, PassageReader

PASSAGE: Final = 1_500
THIRDS: Final = ("first", "middle", "last")
CHANNELS: Final = {
    "words": Channels(vectors=False, neighbours=False),
    "vectors": Channels(words=False, neighbours=False),
    "both": Channels(neighbours=False),
    "both and neighbours": ALL_CHANNELS,
}


class _Held(Blobs):
    """A blob store with one document."""

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "recent", text_cache())
        object.__setattr__(self, "text", text)

    text: str

    async def get(self, ref: str) -> str:  # noqa: ARG002 - there is one document
        """Return the document."""
        return self.text


@dataclass
class Outcomes:
    """Outcomes of the questions on one set of documents: 1 for found, 0 for missed."""

    read: list[bool] = field(default_factory=list)
    answered: list[bool] = field(default_factory=list)
    by_third: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    bm25_by_third: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    bm25_units: list[bool] = field(default_factory=list)
    bm25_passages: list[bool] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        """Return the shares of the questions, rounded to three digits."""
        return {
            "questions": len(self.read),
            "read": round(mean(self.read), 3),
            "bm25_passages": round(mean(self.bm25_passages), 3),
            "answered": round(mean(self.answered), 3),
            "bm25_units": round(mean(self.bm25_units), 3),
            "answered_by_third": _by_third(self.by_third),
            "bm25_units_by_third": _by_third(self.bm25_by_third),
        }


def _by_third(found: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    return {third: round(mean(found[third]), 3) for third in THIRDS if found.get(third)}


@dataclass
class Asker:
    """One document, with its index, to which questions are put."""

    made: Material
    embedder: CalibratedEmbedder
    channels: Channels = ALL_CHANNELS

    def __post_init__(self) -> None:
        spans = split_into_chunks(self.made.text)
        chunks = (Detail(document="d", ref="0" * 64, start=span.start, end=span.end) for span in spans)
        self.details = tuple(DetailPoint(detail=chunk, point=None) for chunk in chunks)
        self.blobs, self.reader = _Held(self.made.text), PassageReader(channels=self.channels)
        pieces = split_into_chunks(self.made.text, characters=PASSAGE, pages=1)
        self.pieces = [(piece.start, piece.end) for piece in pieces]
        self.by_unit, self.by_piece = _search(self.made, self.made.units), _search(self.made, self.pieces)

    async def ask(self, fact: Fact) -> tuple[bool, bool]:
        """Return whether a passage holds the fact, and whether a quote of the answer comes from the right unit."""
        found = await self.reader.passages(Wanted(fact.question), self.details, self.blobs, self.embedder)
        sources = tuple(each.source(f"d{number}") for number, each in enumerate(found, 1))
        job = AnswerJob("a clerk", "", None, fact.question, (), sources)
        answer = answer_of((await ExtractiveModel().do(job)).value).text
        quotes = [_folded(line.rpartition(" [")[0]) for line in answer.splitlines()[1:]]
        right = [_folded(self.made.text[start:end]) for start, end in self.right_units(fact)]
        return (
            _holds([(passage.detail.start, passage.detail.end) for passage in found], fact),
            any(quote and (quote in unit or unit in quote) for quote in quotes for unit in right),
        )

    def right_units(self, fact: Fact) -> list[Span]:
        """Return the units with the evidence."""
        return [unit for unit in self.made.units if any(unit[0] <= start < unit[1] for start, _ in fact.evidence)]


def _search(made: Material, spans: Sequence[Span]) -> TurnSearch:
    return TurnSearch([made.text[start:end] for start, end in spans])


def _holds(spans: Iterable[Span], fact: Fact) -> bool:
    known = list(spans)
    return any(start <= one and other <= end for start, end in known for one, other in fact.evidence)


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


async def outcomes(materials: Iterable[Material], facts: int, embedder: CalibratedEmbedder) -> Outcomes:
    """Return the outcomes of up to `facts` questions about each document."""
    found = Outcomes()
    for made in materials:
        asker = Asker(made, embedder)
        for fact in _sample(made, facts):
            read, answered = await asker.ask(fact)
            found.read.append(read)
            found.answered.append(answered)
            third = THIRDS[made.third(fact)]
            found.by_third[third].append(answered)
            units = [made.units[row] for row, _ in asker.by_unit.best(fact.question, MAX_QUOTES)]
            found.bm25_units.append(bool({*units} & {*asker.right_units(fact)}))
            found.bm25_by_third[third].append(found.bm25_units[-1])
            nearest = asker.by_piece.best(fact.question, READ_CHARACTERS // PASSAGE)
            pieces = [asker.pieces[row] for row, _ in nearest]
            found.bm25_passages.append(_holds(pieces, fact))
    return found


async def ablation(materials: Sequence[Material], facts: int, embedder: CalibratedEmbedder) -> dict[str, float]:
    """Return the share of answered questions with some channels of the search, by name."""
    shares = dict[str, float]()
    for name, channels in CHANNELS.items():
        answered = list[bool]()
        for made in materials:
            asker = Asker(made, embedder, channels)
            answered += [(await asker.ask(fact))[1] for fact in _sample(made, facts)]
        shares[name] = round(mean(answered), 3)
    return shares


def _sample(made: Material, facts: int) -> list[Fact]:
    return random.Random(1).sample(made.facts, min(facts, len(made.facts)))


def materials_of(folder: Path | None) -> dict[str, list[Material]]:
    """Return the documents by set. Sets whose file is not in the folder are left out."""
    found = dict[str, list[Material]]()
    for name, file, made in (
        ("conversation en", "locomo10.json", conversations),
        ("one subject ja", "jsquad-valid-v1.3.json", articles),
        ("mixed ja", "jsquad-valid-v1.3.json", mixed),
    ):
        if folder and (folder / file).exists():
            found[name] = list(made(folder / file))
    generated = list(reports())
    for language in ("en", "ja"):
        found[f"reports {language}"] = [report for report in generated if report.language == language]
    return found


async def measure(folder: Path | None, facts: int, embedder: CalibratedEmbedder) -> dict[str, object]:
    """Return the figures of every set, and print them."""
    figures = dict[str, object]()
    rows: list[tuple[object, ...]] = [
        ("set", "half", "questions", "read", "BM25 passages", "answered", "BM25 turns", "by third", "BM25 by third")
    ]
    for name, every in materials_of(folder).items():
        halves = {"tuning": every[::2], "unseen": every[1::2]}
        told = {half: (await outcomes(some, facts, embedder)).figures() for half, some in halves.items()}
        figures[name] = {**told, "channels": await ablation(every, max(1, facts // 2), embedder)}
        rows += [(name, half, *each.values()) for half, each in told.items()]
        print(name, figures[name], flush=True)
    print(table(rows))
    return figures


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, metavar="FOLDER", help="folder of the public data sets")
    parser.add_argument("--facts", type=int, default=20, help="questions about each document (default: %(default)s)")
    parser.add_argument("--embedder", metavar="SPEC", default="built-in", help="vectors (default: %(default)s)")
    chosen = parser.parse_args()
    embedder = asyncio.run(measured_on(build_embedder(EmbeddingSettings(spec=chosen.embedder)), GENERAL_TEXTS))
    figures = asyncio.run(measure(chosen.dataset, chosen.facts, embedder))
    if chosen.embedder == "built-in":
        save_figures("document_facts", figures)


if __name__ == "__main__":
    main()
