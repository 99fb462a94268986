"""Prompts as files: `prompts/NAME.md`, each with a version, a system message and a user message with placeholders."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.prompt_fences import Quote, digest, fenced, noted
from nemuri_infra.models.protocol import Source

_FILE: Final = re.compile(
    r"\A---\nname: (?P<name>[a-z][a-z0-9_]*)\nversion: (?P<version>[1-9][0-9]*)\n---\n"
    r"# System\n\n(?P<system>.*?)(?:\n+# User\n(?P<user>.*))?\Z",
    re.DOTALL,
)
_PLACEHOLDER: Final = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Part:
    """The filled system message of a prompt that is a part of another prompt."""

    label: str
    """Name and version of the part, such as "answer_memo@1"."""
    text: str


Value = str | Part | Quote | Source | Sequence[Source | Quote]
"""Value of a placeholder: a text of ours, which is inserted as it is, or untrusted texts, which are fenced."""
Values = Mapping[str, Value]
"""Values of the placeholders by name."""


class PromptError(Exception):
    """A prompt's file is malformed, or its placeholders differ from the values that were given."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt from a file. Its placeholders have the form `{{name}}`."""

    name: str
    version: int
    """Version of the texts, 1 or more. Whoever changes a text raises it by hand."""
    system: str
    user: str

    @property
    def label(self) -> str:
        """Return name and version, such as "answer@4"."""
        return f"{self.name}@{self.version}"

    @property
    def placeholders(self) -> frozenset[str]:
        """Return the names of all placeholders."""
        return frozenset(_PLACEHOLDER.findall(f"{self.system}\n{self.user}"))

    def request(self, max_tokens: int, values: Values, **options: Any) -> ChatRequest:
        """Return a request with the prompt's texts, in which each placeholder has its value.

        A paragraph whose placeholders are all empty is left out. `options` are fields of `ChatRequest`. Raises
        `PromptError` if a value is missing, or has no placeholder.
        """
        system, user = self.render(values)
        parts = (value.label for value in values.values() if isinstance(value, Part))
        return ChatRequest(system, user, max_tokens, prompts=(self.label, *parts), **options)

    def part(self, values: Values) -> Part:
        """Return the prompt's system message as a value for another prompt. Raises `PromptError` as `request` does."""
        return Part(self.label, self.render(values)[0])

    def render(self, values: Values) -> tuple[str, str]:
        """Return the system message and the user message with the values. Raises `PromptError` as `request` does."""
        known = self.placeholders
        if wrong := known ^ values.keys():
            missing = "missing" if wrong & known else "unknown"
            raise PromptError(f"prompt {self.label}: {missing} value for {', '.join(sorted(wrong))}")
        return _filled(self.system, values), _filled(self.user, values)


def prompt(name: str) -> Prompt:
    """Return the prompt of a name. Its file is read once. Raises `PromptError` if there is none or it is malformed."""
    return _read(name)


def prompt_names() -> list[str]:
    """Return the names of all prompts in alphabetical order."""
    folder = files("nemuri_infra.models").joinpath("prompts")
    return sorted(each.name.removesuffix(".md") for each in folder.iterdir() if each.name.endswith(".md"))


@cache
def _read(name: str) -> Prompt:
    try:
        text = files("nemuri_infra.models").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PromptError(f"no prompt has the name {name!r}; there are {', '.join(prompt_names())}") from None
    found = _FILE.match(text)
    if found is None or found["name"] != name:
        raise PromptError(f"prompts/{name}.md: a header with name and version, # System and # User are expected")
    return Prompt(name, int(found["version"]), found["system"].strip(), (found["user"] or "").strip())


def _filled(template: str, values: Values) -> str:
    """Return the template with its values. The fences of one message have one mark, which no value can contain."""
    used = [values[name] for name in dict.fromkeys(_PLACEHOLDER.findall(template))]
    mark = digest(noted(source) for value in used for source in _sources(value))
    paragraphs = (_paragraph(each, values, mark) for each in template.split("\n\n"))
    return "\n\n".join(each for each in paragraphs if each)


def _paragraph(template: str, values: Values, mark: str) -> str:
    texts = {name: _inserted(values[name], mark) for name in _PLACEHOLDER.findall(template)}
    if texts and not any(texts.values()):
        return ""
    return _PLACEHOLDER.sub(lambda found: texts[found[1]], template).strip()


def _inserted(value: Value, mark: str) -> str:
    if isinstance(value, str | Part):
        return value if isinstance(value, str) else value.text
    return "\n\n".join(fenced(each.label, noted(each), mark) for each in _sources(value))


def _sources(value: Value) -> Sequence[Source | Quote]:
    if isinstance(value, str | Part):
        return ()
    return (value,) if isinstance(value, Source | Quote) else value
