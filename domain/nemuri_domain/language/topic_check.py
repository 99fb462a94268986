"""Lexical comparison of texts with a prompt: whether a text is about its topic, and how much of the prompt it has."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final

from nemuri_domain.language.inverted_index import ADDED_TEXTS, rarity
from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.language.word_lists import GENERAL_WORDS
from nemuri_domain.language.writing_systems import CJK

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
_ORDINARY_WEIGHT: Final = 0.3
_BIGRAM: Final = 0.6
"""Factor on the weight of a CJK bigram, because one word gives several bigrams."""
_ORDINARY: Final = """
    add app apply bug build call change check code command commit create data delete deploy docs documentation error
    explain fail file fix function generate group handle implement include install issue javascript job line list log
    main method minute module move name new number old open option output package page problem project python question
    readme remove rename replace report request result return review run second server set setting setup show slow start
    state step stop string system table task test text update user value version wait work write wrong
    year day hour week month people person book
    実装 修正 追加 変更 確認 テスト コード ファイル エラー 関数 設定 作成 削除 更新 原因 対応 処理 実行 失敗 成功 結果
    プログラム システム プロジェクト データ ユーザー 機能 動作 名前 方法 書き方 作り方 手順 教え 説明 直し おすすめ
    まとめ 相談 変数 検討 件数
"""
"""Words that are frequent in every session and say little about the topic of a single one."""
_CJK = re.compile(f"[{CJK}]")


def prompt_terms(prompt: str) -> dict[str, float]:
    """Return the terms of a prompt that say what it is about, each with its weight, more than 0 and at most 1."""
    found: dict[str, float] = {}
    for term in terms(prompt[:PROMPT_CHARACTERS]):
        if term in GENERAL_WORDS or term.isdecimal():
            continue
        weight = topic_weight(term) * (_BIGRAM if _CJK.match(term) else 1.0)
        weight = min(weight, _ORDINARY_WEIGHT) if term in _ordinary() else weight
        if weight > 0:
            found[term] = weight
    return found


def shared_terms(asked: Collection[str], text: str) -> frozenset[str]:
    """Return those of the terms `asked`, which come from `prompt_terms`, that a text has."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(term for term in asked if _occurs(term, folded))


def shares_topic(asked: Mapping[str, float], shared: Collection[str]) -> bool:
    """Return True if a text that has the terms `shared` of the prompt's terms `asked` is about their topic."""
    total, weight = sum(asked.values()), sum(asked[term] for term in shared)
    few = weight >= _ONE and weight >= _MAINLY * total
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
    if _CJK.match(term):
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


@lru_cache(maxsize=1)
def _ordinary() -> frozenset[str]:
    return frozenset(terms(_ORDINARY))
