"""Lexical check that a text is about the topic of a prompt, for embedders that only compare spelling."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

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


def shares_topic(asked: Mapping[str, float], text: str) -> bool:
    """Return True if a text has enough of the terms in `asked`, which come from `prompt_terms`, to be about their
    topic.
    """
    total = sum(asked.values())
    if not total:
        return False
    folded = unicodedata.normalize("NFKC", text).casefold()
    shared = sum(weight for term, weight in asked.items() if _occurs(term, folded))
    few = shared >= _ONE and shared >= _MAINLY * total
    return few or (shared >= _MIN_WEIGHT and shared >= min(_MIN_SHARE * total, _SUFFICIENT_WEIGHT))


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
