"""The prompts of the language model's jobs, filled with values. Untrusted values are fenced.

The texts are files: `prompts/NAME.md` beside this module, and those of extensions in their own packages.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.prompt_fences import FencedText, digest, fenced, noted
from nemuri_infra.models.prompt_files import PLACEHOLDER, PromptError, PromptText, names_in, read_prompt
from nemuri_infra.models.sources import Source
from nemuri_infra.process.extensions import extensions

__all__ = ["Prompt", "PromptError", "PromptPart", "Value", "Values", "example_texts", "prompt", "prompt_names"]

_JOBS: Final = "nemuri_infra.models"
_FORM: Final = re.compile(r"Reply with one JSON object and nothing else(?::|, such as)\s+(?={)")
_QUOTED: Final = re.compile(r'"([^"\n]+)"')


@dataclass(frozen=True, slots=True)
class PromptPart:
    """The filled system message of a prompt that is a part of another prompt."""

    label: str
    """Name and version of the part, such as "answer_memo@1"."""
    text: str


Value = str | PromptPart | FencedText | Source | Sequence[Source | FencedText]
"""Value of a placeholder: a text of ours, which is inserted as it is, or untrusted texts, which are fenced."""
Values = Mapping[str, Value]
"""Values of the placeholders by name."""


@dataclass(frozen=True, slots=True)
class Prompt(PromptText):
    """A prompt whose placeholders can be filled."""

    def request(self, max_tokens: int, values: Values, **options: Any) -> ChatRequest:
        """Return a request with the prompt's texts, in which each placeholder has its value.

        A paragraph whose placeholders are all empty is left out. `options` are fields of `ChatRequest`. Raises
        `PromptError` if a value is missing, or has no placeholder.
        """
        system, user = self.render(values)
        parts = (value.label for value in values.values() if isinstance(value, PromptPart))
        form = _form(self.system) if options.get("schema") else ""
        return ChatRequest(system, user, max_tokens, form=form, prompts=(self.label, *parts), **options)

    def part(self, values: Values) -> PromptPart:
        """Return the prompt's system message as a value for another prompt. Raises `PromptError` as `request` does."""
        return PromptPart(self.label, self.render(values)[0])

    def render(self, values: Values) -> tuple[str, str]:
        """Return the system message and the user message with the values. Raises `PromptError` as `request` does."""
        self.check(frozenset(values))
        return _filled(self.system, values), _filled(self.user, values)


@cache
def prompt(name: str) -> Prompt:
    """Return the prompt of a name. Its file is read once. Raises `PromptError` if there is none or it is malformed."""
    package = next((candidate for candidate in _packages() if name in names_in(candidate)), None)
    if package is None:
        raise PromptError(f"no prompt has the name {name!r}; there are {', '.join(prompt_names())}")
    text = read_prompt(package, name)
    return Prompt(text.name, text.version, text.system, text.user)


def example_texts(labels: Sequence[str]) -> frozenset[str]:
    """Return the texts of several words, and the dots in place of a text, that the prompts of these labels quote as
    examples of a reply. A model that returns one of them has copied it.
    """
    return frozenset[str]().union(*(_quoted(label.partition("@")[0]) for label in labels))


@cache
def _quoted(name: str) -> frozenset[str]:
    quoted = _QUOTED.findall(prompt(name).system)
    return frozenset(text for text in quoted if " " in text.strip() or not text.strip(" .…"))


def prompt_names() -> list[str]:
    """Return the names of all prompts in alphabetical order."""
    return sorted(name for package in _packages() for name in names_in(package))


def _packages() -> tuple[str, ...]:
    """Return the packages that have prompts."""
    return (_JOBS, *(extension.prompts for extension in extensions() if extension.prompts is not None))


@cache
def _form(system: str) -> str:
    """Return the sentence of a system message that shows the form of the reply; "" if it has none."""
    found = _FORM.search(system)
    if found is None:
        return ""
    _, end = json.JSONDecoder().raw_decode(system, found.end())
    return f"{system[found.start() : end]}."


def _filled(template: str, values: Values) -> str:
    """Return the template with its values. The fences of one message have one mark, which no value can contain."""
    used = [values[name] for name in dict.fromkeys(PLACEHOLDER.findall(template))]
    mark = digest(noted(source) for value in used for source in _sources(value))
    paragraphs = (_paragraph(paragraph, values, mark) for paragraph in template.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _paragraph(template: str, values: Values, mark: str) -> str:
    texts = {name: _inserted(values[name], mark) for name in PLACEHOLDER.findall(template)}
    if texts and not any(texts.values()):
        return ""
    return PLACEHOLDER.sub(lambda found: texts[found[1]], template).strip()


def _inserted(value: Value, mark: str) -> str:
    if isinstance(value, str | PromptPart):
        return value if isinstance(value, str) else value.text
    return "\n\n".join(fenced(source.label, noted(source), mark) for source in _sources(value))


def _sources(value: Value) -> Sequence[Source | FencedText]:
    if isinstance(value, str | PromptPart):
        return ()
    return (value,) if isinstance(value, Source | FencedText) else value
