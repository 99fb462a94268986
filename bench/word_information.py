"""Make the table of how much a word tells by itself: `python -m bench.word_information`.

It needs the extra `words`. English and Japanese words have their importance from the table of word vectors. Words of
other languages have their frequency alone: from wordfreq, Thai ones from the Thai National Corpus. Thai names of
persons, which are often made of ordinary words, are from the lists of PyThaiNLP.
"""

import argparse
import gzip
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from nemuri_domain.affective.word_information import CHINESE, JAPANESE, KOREAN, SPACED, TELLING, THAI
from nemuri_domain.language import words
from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, word_table
from nemuri_domain.language.writing_systems import CJK, HANGUL, KANJI

RARE_COST: Final = 11.5
"""Cost, the negative logarithm of a frequency, from which an English or Japanese word tells something in any case."""
NO_INFORMATION: Final = 7.0
"""Cost up to which a word of another language tells nothing."""
PER_COST: Final = 2.32
"""Information of a word of another language, for each unit of cost above that."""
PLAIN_COST: Final = 10.5
"""Cost up to which an English word that another language has too (door, in Dutch) tells half of what it tells in
English.
"""
JAPANESE_FACTOR: Final = 1.12
"""Factor of a Japanese word's information. Words of two kanji are shorter than English ones, and say as much."""
LONGEST_COST: Final = 13.5
"""Maximum cost of a word of a language without spaces: a rarer one is not in the table."""
NAME_COST: Final = 13.0
SHORTEST_NAME: Final = 4
_OTHERS: Final = ("zh", "ko", "ja", "en")
_MOST_FORMS: Final = 4


def main() -> None:
    """Write the file of the table."""
    import marisa_trie

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(str(words.__file__)).parent / "information.trie")
    chosen = parser.parse_args()
    least: dict[str, tuple[int, int]] = {}
    english = {word: information for word, cost, information in _of_word_table() if cost <= PLAIN_COST}
    for word, cost, information in _words():
        told = (information + max(information, english.get(word, 0.0))) / 2
        entry = min(255, round(told * 10)), min(255, round(cost * 10))
        form = unicodedata.normalize("NFKC", word)
        least[form] = min(entry, least.get(form, entry))
    trie: Any = marisa_trie.RecordTrie("<BB", sorted(least.items()))
    trie.save(str(chosen.out))
    print(f"{chosen.out}: {len(least)} words, {chosen.out.stat().st_size / 1e6:.1f} MB")


def _words() -> Iterator[tuple[str, float, float]]:
    """Yield each word after the mark of its language, with its cost and its information."""
    import wordfreq  # type: ignore[import-untyped, unused-ignore]

    yield from _of_word_table()
    for word, cost in _costs(wordfreq.get_frequency_dict("zh", "best"), f"[{KANJI}]+"):
        for form in _forms(word):
            yield CHINESE + form, cost, _information(cost)
    for word, cost in _costs(wordfreq.get_frequency_dict("ko", "best"), f"[{HANGUL}]+"):
        yield KOREAN + word, cost, _information(cost)
    for word, cost in _costs(_thai(), r"[\u0e00-\u0e7f]+"):
        yield THAI + word, cost, _information(cost)
    for word in _thai_names():
        yield THAI + word, NAME_COST, TELLING + 1
    for language in sorted(set(wordfreq.available_languages("best")) - set(_OTHERS)):
        for word, cost in _costs(wordfreq.get_frequency_dict(language, "best"), rf"(?:(?![{CJK}])[^\W\d_])+"):
            if _information(cost) < TELLING:
                yield SPACED + word, cost, _information(cost)


def _of_word_table() -> Iterator[tuple[str, float, float]]:
    table, trie = word_table(), word_table().trie
    for word in trie:  # type: ignore[attr-defined]
        place = trie.get(word)
        cost = float(table.costs[place])
        length = float((table.levels[place].astype(float) ** 2).sum() ** 0.5)
        information = max(0.0, cost - 5) * float(table.weights[place]) * length / MEDIAN_IMPORTANCE
        if cost >= RARE_COST:
            information = max(information, TELLING + 1)
        if re.fullmatch(f"[{CJK}]+", word):
            yield JAPANESE + word, cost, information * JAPANESE_FACTOR
        elif information < TELLING:
            yield SPACED + word, cost, information


def _information(cost: float) -> float:
    return max(0.0, cost - NO_INFORMATION) * PER_COST


def _costs(frequencies: Mapping[str, float], pattern: str) -> Iterator[tuple[str, float]]:
    for word, frequency in frequencies.items():
        cost = -math.log(frequency)
        if cost <= LONGEST_COST and re.fullmatch(pattern, word):
            yield word, cost


def _thai() -> dict[str, float]:
    text = (resources.files("pythainlp.corpus") / "tnc_freq.txt").read_text("utf-8")
    counts = {word: int(count) for word, _, count in (line.partition("\t") for line in text.splitlines())}
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items()}


def _thai_names() -> set[str]:
    """Return names of persons, which are often made of ordinary words."""
    folder = resources.files("pythainlp.corpus")
    files = ("family_names_th.txt", "person_names_female_th.txt", "person_names_male_th.txt")
    names = {name.strip() for file in files for name in (folder / file).read_text("utf-8").splitlines()}
    return {each for each in names - _thai().keys() if len(each) >= SHORTEST_NAME}


def _forms(word: str) -> Iterator[str]:
    """Yield a word in simplified characters, as wordfreq has it, and in the traditional ones that it may stand for."""
    traditional = [_traditional().get(each, each) for each in word]
    yield from map("".join, itertools.islice(itertools.product(*traditional), _MOST_FORMS))


@cache
def _traditional() -> dict[str, str]:
    """Return the characters that are written as each simplified character, which is the first."""
    import msgpack  # comes with wordfreq

    data = (resources.files("wordfreq.data") / "_chinese_mapping.msgpack.gz").read_bytes()
    found: dict[str, str] = {}
    for point, simple in msgpack.loads(gzip.decompress(data), strict_map_key=False).items():
        if chr(point) != simple:
            found[simple] = found.get(simple, simple) + chr(point)
    return found


if __name__ == "__main__":
    main()
