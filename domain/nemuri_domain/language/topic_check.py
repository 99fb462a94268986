"""Lexical comparison of texts with a prompt: whether a text is about its topic, and how much of the prompt it has."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from nemuri_domain.language.inverted_index import ADDED_TEXTS, rarity
from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.language.word_lists import GENERAL_WORDS
from nemuri_domain.language.writing_systems import UNSPACED

PROMPT_CHARACTERS: Final = 4_000
"""Maximum characters of a prompt whose words are compared."""
_MIN_SHARE: Final = 0.3
"""Minimum share of the weight of all words of the prompt that a text must have."""
_SUFFICIENT_WEIGHT: Final = 6.0
"""Weight of shared words that is enough for a prompt of any length."""
_MIN_WEIGHT: Final = 1.25
"""Minimum weight of shared words, unless the text shares most words of a short prompt."""
_MAINLY: Final = 0.6
_ONE: Final = 0.9
_ALL_NAMED: Final = 0.6
"""Minimum weight of shared words if the text has every word that names the topic."""
ORDINARY_WEIGHT: Final = 0.3
"""Maximum weight of a word that does not name a topic by itself."""
_PARTS_WEIGHT: Final = 0.5
"""Weight of all parts of an identifier together. The identifier itself has weight 1."""
_BIGRAM: Final = 0.6
"""Factor on the weight of a bigram of a script without spaces, because one word gives several bigrams."""
ORDINARY_WORDS: Final = """
    add api app apply bug build call change check code command commit create data delete deploy docs documentation error
    explain fail file fix function generate group handle implement include install issue javascript job line list log
    main method minute module move name new number old open option output package page problem project python question
    readme remove rename replace report request result return review run second server set setting setup show slow start
    state step stop string system table task test text update user value version wait work write wrong
    year day hour week month people person book
    実装 修正 追加 変更 確認 テスト コード ファイル エラー 関数 設定 作成 削除 更新 原因 対応 処理 実行 失敗 成功 結果
    プログラム システム プロジェクト データ ユーザー 機能 動作 名前 方法 書き方 作り方 手順 教え 説明 直し おすすめ
    まとめ 相談 変数 検討 件数
    決 直 変 作 言 話 見 進 終 始 使 考 調 試 書 読 動 入 出 消 加 足
"""
"""Words that are frequent in every session and say little about the topic of a single one."""
EMPTY_WORDS: Final = """
    ok okay yep yeah yup nope perfect nice cool awesome excellent correct exactly right proceed ahead continue resume
    left 続
"""
"""Words of agreement and of going on, which name nothing."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


def prompt_terms(prompt: str) -> dict[str, float]:
    """Return the terms of a prompt that say what it is about, each with its weight, more than 0 and at most 1."""
    found: dict[str, float] = {}
    for term, share in _with_shares(terms(prompt[:PROMPT_CHARACTERS])):
        if term in GENERAL_WORDS or term in _listed(EMPTY_WORDS) or term.isdecimal():
            continue
        weight = topic_weight(term) * (_BIGRAM if _UNSPACED.match(term) else 1.0) * share
        weight = min(weight, ORDINARY_WEIGHT) if term in _listed(ORDINARY_WORDS) else weight
        if weight > 0:
            found[term] = max(weight, found.get(term, 0.0))
    return found


def names_topic(asked: Mapping[str, float]) -> bool:
    """Return True if one of the terms of a prompt names a topic, so that it is not only about the work as such."""
    return any(weight > ORDINARY_WEIGHT for weight in asked.values())


def shared_terms(asked: Collection[str], text: str) -> frozenset[str]:
    """Return those of the terms `asked`, which come from `prompt_terms`, that a text has."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(term for term in asked if _occurs(term, folded))


def shares_topic(asked: Mapping[str, float], shared: Collection[str]) -> bool:
    """Return True if a text that has the terms `shared` of the prompt's terms `asked` is about their topic."""
    total, weight = sum(asked.values()), sum(asked[term] for term in shared)
    named = [term for term, each in asked.items() if each > ORDINARY_WEIGHT]
    few = weight >= _ONE and weight >= _MAINLY * total
    few = few or (weight >= _ALL_NAMED and bool(named) and all(term in shared for term in named))
    return few or (weight >= _MIN_WEIGHT and weight >= min(_MIN_SHARE * total, _SUFFICIENT_WEIGHT))


def topic_scores(asked: Mapping[str, float], texts: Sequence[Collection[str]]) -> list[float]:
    """Return how much each of several texts has of the prompt's terms `asked`, as a share of the best text, 0 to 1.

    `texts` are the terms that each text shares. A term counts with its weight times its idf among these texts
    (`InvertedIndex.shares`).
    """
    holding, every = Counter(term for shared in texts for term in shared), len(texts) + ADDED_TEXTS
    weights = {term: asked[term] * rarity(every, number) for term, number in holding.items()}
    sums = [sum(weights[term] for term in shared) for shared in texts]
    best = max(sums, default=0.0) or 1.0
    return [each / best for each in sums]


def _occurs(term: str, text: str) -> bool:
    if _UNSPACED.match(term):
        return term in text
    return _beginning(term) in text and _pattern(term).search(text) is not None


def _beginning(term: str) -> str:
    """Return the beginning that all words with this stem have: `happ` for `happi`, the stem of `happy`."""
    return term.removesuffix("i") if len(term) > 4 else term


@lru_cache(maxsize=4_096)
def _pattern(term: str) -> re.Pattern[str]:
    """Return the pattern of the words with the stem `term`. After a short stem, a word may have only a grammatical
    ending.
    """
    begins = re.escape(_beginning(term))
    ends = "" if len(term) > 4 else r"(?:e|e?s|ed|ing|er|y|ies)?(?![a-z0-9])"
    return re.compile(rf"(?<![a-z0-9]){begins}{ends}")


def _with_shares(found: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield each term with its share of a whole word: less than 1 for a part of the identifier before it."""
    whole, parts = "", list[str]()
    for term in (*found, ""):
        if term and term in whole and term != whole and not _UNSPACED.match(term):
            parts.append(term)
            continue
        yield from ((each, _PARTS_WEIGHT / len(parts)) for each in parts)
        if term:
            yield term, 1.0
        whole, parts = term, []


@lru_cache(maxsize=2)
def _listed(words: str) -> frozenset[str]:
    return frozenset(terms(words))
