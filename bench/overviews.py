"""Facts of each third of long documents that reach an overview without a language model, against the first 8 passages.

    python -m bench.overviews --dataset FOLDER

Documents are conversations of LoCoMo (English) and articles of JSQuAD (Japanese), joined to 180,000 or 60,000
characters. In each third four sentences with figures are planted. "Notes" are the notes on all parts, which the prompt
of the answer contains; "overview" is the extractive answer to "Summarise this document."; "list" is the share of the
planted sentences about one subject in the answer to "List all …". A language model's notes are not measured: it reads
the whole text.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from bench.measuring import save_figures
from nemuri.evaluation.locomo import read as read_locomo
from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks.reading_plan import plan_reading
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.overview import OverviewJob
from nemuri_infra.models.jobs.overview_notes import NotesJob
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.settings import Settings

CHARACTERS, PASSAGE, FIRST = {"en": 180_000, "ja": 60_000}, 1_500, 8
SETS = ("locomo10.json", "jsquad-valid-v1.3.json")
THIRDS = ("first", "middle", "last")
PLANTED = {
    "en": [
        f"The boiler of plant {number} was replaced on {number} May for {number * 1_300} euros."
        for number in range(2, 14)
    ],
    "ja": [f"第{number}工場のボイラーは5月{number}日に{number * 130}万円で交換された。" for number in range(2, 14)],
}
REQUESTS = {
    "en": ("Summarise this document.", "List all boilers."),
    "ja": ("要約してください。", "ボイラーをすべて挙げてください。"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """A document with planted sentences, in order: four in each third."""

    language: str
    text: str
    planted: tuple[str, ...]


def documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of both languages."""
    spoken = [
        "\n".join(f"{message.speaker}: {message.text}" for _, message in history.messages())
        for history in read_locomo(folder / SETS[0])
    ]
    articles = json.loads((folder / SETS[1]).read_text(encoding="utf-8"))["data"]
    written = [
        "\n\n".join(each["context"].split("[SEP]")[-1].strip() for each in one["paragraphs"]) for one in articles
    ]
    for language, texts in (("en", spoken), ("ja", written)):
        whole = ""
        for text in texts:
            whole += text + "\n\n"
            if len(whole) >= CHARACTERS[language]:
                yield _planted(language, whole[: CHARACTERS[language]])
                whole = ""


def _planted(language: str, text: str) -> Document:
    """Return the document with the sentences at even distances, each before a line."""
    sentences, size = PLANTED[language], len(text) // len(PLANTED[language])
    pieces = []
    for number, sentence in enumerate(sentences):
        piece = text[number * size : (number + 1) * size]
        at = piece.find("\n", size // 2) + 1
        pieces.append(f"{piece[:at]}{sentence}\n{piece[at:]}")
    return Document(language, "".join(pieces), tuple(sentences))


async def reached(document: Document) -> dict[str, dict[str, float]]:
    """Return the share of the planted sentences of each third that the notes, the overview, the list and the first
    passages contain.
    """
    summarise, listing = REQUESTS[document.language]
    notes = await _notes(document.text, summarise, "summary")
    listed = await _notes(document.text, listing, "list")
    found = {
        "notes": "\n".join(each.text for part in notes for each in part),
        "overview": (await ExtractiveModel().do(_job(summarise, "summary", notes))).value.text,
        "list": (await ExtractiveModel().do(_job(listing, "list", listed))).value.text,
        "first_8_passages": "".join(
            document.text[span.start : span.end] for span in split_into_chunks(document.text, PASSAGE, 1)[:FIRST]
        ),
    }
    return {name: _by_third(document.planted, text) for name, text in found.items()}


async def _notes(text: str, request: str, kind: OverviewKind) -> list[tuple[Source, ...]]:
    settings = Settings()
    chunks = [text[span.start : span.end] for span in split_into_chunks(text)]
    sizes = [estimate_tokens(each) for each in chunks]
    room = settings.overview_prompt_tokens
    plan = plan_reading(sizes, [""] * len(chunks), budget=settings.overview_tokens, room=room)
    assert plan is not None
    parts, number = [], 0
    for chunk in chunks:
        spans = split_into_chunks(chunk, PASSAGE, 1)
        sources = tuple(Source(f"p{at}", chunk[span.start : span.end]) for at, span in enumerate(spans, 1))
        told = (await ExtractiveModel().do(NotesJob(request, kind, sources, plan.note_tokens))).value
        parts.append(tuple(Source(f"d{number + at}", each.text) for at, each in enumerate(told, 1)))
        number += len(told)
    return parts


def _job(question: str, kind: OverviewKind, parts: Sequence[tuple[Source, ...]]) -> OverviewJob:
    names = ("a",) * len(parts)
    return OverviewJob("reader", "", None, question, kind, "notes", (), tuple(parts), names)


def _by_third(planted: Sequence[str], text: str) -> dict[str, float]:
    size = len(planted) // len(THIRDS)
    return {
        third: mean(each in text for each in planted[at * size : (at + 1) * size]) for at, third in enumerate(THIRDS)
    }


async def measured(folder: Path) -> dict[str, float]:
    """Return the mean shares over the documents of each language, by language, what was looked at, and third."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for document in documents(folder):
        for name, thirds in (await reached(document)).items():
            for third, share in thirds.items():
                shares[f"{document.language}_{name}_{third}"].append(share)
    return {name: round(mean(each), 3) for name, each in shares.items()} | {
        f"{language}_documents": float(len(shares[f"{language}_notes_first"])) for language in PLANTED
    }


def main() -> None:
    """Print the shares and save them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, metavar="FOLDER", help="folder with the data sets")
    folder = parser.parse_args().dataset
    if folder is None or not all((folder / name).exists() for name in SETS):
        print(f"skipped: {' and '.join(SETS)} are needed")
        return
    figures = asyncio.run(measured(folder))
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):36} {value:g}")
    save_figures("overviews", figures)


if __name__ == "__main__":
    main()
