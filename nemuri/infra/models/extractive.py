"""The model that serves without a language model: it quotes the most relevant sentences it was given, and says so."""

import re
from collections.abc import Mapping
from typing import Final

from nemuri.contracts.event import Usage
from nemuri.domain.language.scripts import HIRAGANA, KANJI, KATAKANA
from nemuri.infra.models.citations import without_labels
from nemuri.infra.models.passages import LONGEST_QUOTE, Passage, most_telling, passages, related, select, topic
from nemuri.infra.models.protocol import Answer, AnswerJob, KeyPointJob, LearningsJob, Reply

MOST_QUOTES: Final = 6
QUOTED_CHARACTERS: Final = 1_200
"""The quotes of one answer together, without labels and framing."""

_NAME: Final = "extractive"
_FREE: Final = Usage(model=_NAME)
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
_QUOTING: Final = {
    "en": "No language model is connected, so these are quotations from memories and details:",
    "ja": "言語モデルが接続されていないため、記憶と資料から引用します。",
}
_NOTHING: Final = {
    "en": "No language model is connected, and nothing relevant to this was found in memories and details.",
    "ja": "言語モデルが接続されておらず、記憶と資料に関係のある記述は見つかりませんでした。",
}
_FRAMING: Final = frozenset((*_QUOTING.values(), *_NOTHING.values()))


class ExtractiveModel:
    """Quotes instead of writing: deterministic, offline, without cost; its calls never fail."""

    name: Final = _NAME

    async def answer(self, job: AnswerJob) -> Reply[Answer]:
        """At most 6 sentences or 1,200 characters quoted line by line, each followed by its label in brackets.

        Relevance is shared terms weighted by their rarity among the sentences given. The framing words follow the
        language of the question, the quotes that of their sources. Without a shared term the answer says that
        nothing was found and cites nothing.
        """
        language = _language(job.question)
        candidates = [passage for source in job.sources for passage in passages(source.label, source.text)]
        chosen = select(candidates, topic(job.question), most=MOST_QUOTES, characters=QUOTED_CHARACTERS)
        if not chosen:
            return Reply(Answer(_NOTHING[language], ()), _FREE)
        lines = [_QUOTING[language], *(f"- {passage.text} [{passage.label}]" for passage in chosen)]
        return Reply(Answer("\n".join(lines), tuple(dict.fromkeys(passage.label for passage in chosen))), _FREE)

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """The text's most central sentence; sentences with terms of the question are preferred."""
        found = most_telling(passages("", job.text), topic(job.question))
        return Reply(found.text if found else " ".join(job.text.split())[:LONGEST_QUOTE], _FREE)

    async def learnings(self, job: LearningsJob) -> Reply[Mapping[str, str]]:
        """For each perspective the most telling sentence among those that share terms with its name.

        Sentences of the answer are preferred to those of the details, and none is given twice. When no perspective
        is related to anything, the first one gets the most telling sentence of the answer. An answer without
        content of its own, such as one that found nothing, teaches nothing.
        """
        said = passages("", _substance(job.answer))
        if not said or not job.perspectives:
            return Reply({}, _FREE)
        details = [passage for source in job.details for passage in passages(source.label, source.text)]
        return Reply(_learned(job, said, details), _FREE)

    async def aclose(self) -> None:
        """Nothing to release."""


def _learned(job: LearningsJob, said: list[Passage], details: list[Passage]) -> dict[str, str]:
    favoured = topic(job.question)
    learned: dict[str, str] = {}
    for perspective in job.perspectives:
        wanted = topic(perspective)
        for group in (said, details):
            fresh = [passage for passage in group if passage.text not in learned.values()]
            best = most_telling(related(fresh, wanted), favoured)
            if best:
                learned[perspective] = best.text
                break
    central = most_telling(said, favoured)
    if not learned and central:
        learned[job.perspectives[0]] = central.text
    return learned


def _substance(answer: str) -> str:
    lines = (line for line in answer.splitlines() if line.strip() not in _FRAMING)
    return without_labels("\n".join(lines))


def _language(question: str) -> str:
    return "ja" if _JAPANESE.search(question) else "en"
