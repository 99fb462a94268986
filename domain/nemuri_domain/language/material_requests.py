"""Recognition of requests that say what to do with documents, and nothing about a subject."""

from functools import cache
from typing import Final

import numpy as np

from nemuri_domain.language.overview_requests import subject_terms
from nemuri_domain.language.relevance import alignments
from nemuri_domain.language.word_table import Words, word_table

EXAMPLES: Final = (
    "Summarise the attached document.",
    "What does this report say?",
    "What are the most important points of the text?",
    "Read the file and answer the question on page one.",
    "Translate, check, compare or explain it to me.",
    "Give me an overview of the main topics, findings, conclusions and decisions.",
    "添付の資料を要約してください。",
    "この文書には何が書いてありますか。",
    "要点を教えてください。",
    "報告書を読んで説明して。",
    "全体の概要と結論をまとめて。",
)
"""Requests that say nothing about a subject."""
COVERED: Final = 0.45
"""Nearness of a request's words to those of the examples, 0 to 1, from which on it says nothing about a subject."""


def about_material(request: str) -> bool:
    """Return True if a request says only what to do with documents. Texts in English or Japanese, also reworded."""
    asked = word_table().words(request)
    if not subject_terms(request) or not len(asked):
        return True
    return float(alignments(word_table(), [asked], [_words_of_examples()])[0, 0]) >= COVERED


@cache
def _words_of_examples() -> Words:
    return np.concatenate([word_table().words(each) for each in EXAMPLES])
