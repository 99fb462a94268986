"""References of a request to something that did not come with it: an attachment, a text above or below, a blank.

The rules find only what is certain; in doubt nothing is missing. A question about attachments in general ("How do I
open an attached file?"), a pasted text, code and a template with placeholders are no missing references.
"""

import re
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

from nemuri_domain.language.word_files import Language, WordFile
from nemuri_domain.language.writing_systems import is_cjk

PASTED: Final = 120
"""Characters beside the sentence that refers from which on the request is taken to hold the text itself."""

LONGEST_GREETING: Final = 16
"""Maximum characters before a reference to something above it that are no text to refer to. Kana and kanji count
twice.
"""

_WORDS: Final = WordFile("language/missing", re.IGNORECASE)

Lack = Literal["attachment", "above", "below", "pronoun", "blank"]
_REFERENCES: Final[tuple[Lack, ...]] = ("attachment", "below", "above", "pronoun")
_LANGUAGES: Final[tuple[Language, ...]] = ("english", "japanese")


@dataclass(frozen=True, slots=True)
class MissingReference:
    """Words of a request that refer to something that is not there."""

    lack: Lack
    words: str
    """The words of the request, at most 80 characters."""

    @property
    def question(self) -> str:
        """Return the question to the client, in the language of its words."""
        return self._text("question")

    @property
    def assumption(self) -> str:
        """Return what is assumed if nobody answers, in the language of the words."""
        return self._text("assumption")

    def _text(self, kind: Literal["question", "assumption"]) -> str:
        language: Language = "japanese" if any(map(is_cjk, self.words)) else "english"
        return _WORDS.alternatives(f"{self.lack} {kind}", language).format(words=self.words)


def missing_reference(request: str, *, has_material: bool = False) -> MissingReference | None:
    """Return the first reference of a request to something that is not there; None if there is certainly none.

    With `has_material`, documents came with the request or earlier turns precede it, so that only blanks count. The
    request should be an original text, not a rewritten one.
    """
    text = request.strip()
    if not has_material:
        for lack, language in product(_REFERENCES, _LANGUAGES):
            found = _WORDS.pattern(lack, language).search(text)
            if found is not None and _is_certain(lack, text, found):
                return MissingReference(lack, _quoted(found.group()))
    return _blank(text)


def _is_certain(lack: Lack, text: str, found: re.Match[str]) -> bool:
    """Return True unless the text may hold what is referred to, or speaks about such references in general."""
    if lack == "above":
        return not _has_content(text[: found.start()])
    if lack in {"below", "pronoun"}:
        return True
    before = text[: found.start()].rsplit("\n", 1)[-1]
    after = re.split(r"[.!?。！？\n]", text[found.end() :], maxsplit=1)[0]
    sentence = f"{before}{found.group()}{after}"
    asked = re.split(r"[.!?。！？]\s*", before)[-1] or sentence
    if _WORDS.pattern("general", "english").search(asked):
        return False
    if _WORDS.pattern("general", "japanese").search(found.group() + after):
        return False
    return len(text) - len(sentence) < PASTED


def _has_content(before: str) -> bool:
    """Return True if more than a greeting and the beginning of the sentence stand before a reference."""
    earlier = re.split(r"(?<=[.!?。！？:：])\s*|\n", before.strip())[:-1]
    written = "".join(earlier)
    return len(written) + sum(map(is_cjk, written)) > LONGEST_GREETING


def _blank(text: str) -> MissingReference | None:
    found = _WORDS.pattern("blank").search(text)
    if found is None or _WORDS.pattern("about blanks").search(text):
        return None
    return MissingReference("blank", _quoted(found.group()))


def _quoted(words: str) -> str:
    return " ".join(words.split())[:80].strip(" .!?。:：")
