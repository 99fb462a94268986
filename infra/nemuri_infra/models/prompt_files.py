"""Prompts as files `NAME.md`, each with a version, a system message and perhaps a user message with placeholders."""

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{\{([a-z_]+)\}\}")
_FILE: Final = re.compile(
    r"\A---\nname: (?P<name>[a-z][a-z0-9_]*)\nversion: (?P<version>[1-9][0-9]*)\n---\n"
    r"# System\n\n(?P<system>.*?)(?:\n+# User\n(?P<user>.*))?\Z",
    re.DOTALL,
)


class PromptError(Exception):
    """A prompt's file is missing or malformed, or its placeholders differ from the values that were given."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """The texts of a prompt. Placeholders have the form `{{name}}`."""

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
        return frozenset(PLACEHOLDER.findall(f"{self.system}\n{self.user}"))

    def check(self, names: frozenset[str]) -> None:
        """Raise `PromptError` if a placeholder is not in `names`, or a name has no placeholder."""
        known = self.placeholders
        if wrong := known ^ names:
            missing = "missing" if wrong & known else "unknown"
            raise PromptError(f"prompt {self.label}: {missing} value for {', '.join(sorted(wrong))}")


def prompt_folder(package: str) -> Traversable:
    """Return the folder with the prompts of a package."""
    return files(package).joinpath("prompts")


def names_in(package: str) -> list[str]:
    """Return the names of the prompts of a package in alphabetical order."""
    return sorted(path.name.removesuffix(".md") for path in prompt_folder(package).iterdir() if path.name[-3:] == ".md")


def read_prompt(package: str, name: str) -> PromptText:
    """Return a prompt of a package. Raises `PromptError` if there is none of this name, or if its file is malformed."""
    try:
        text = prompt_folder(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PromptError(f"no prompt of {package} has the name {name!r}") from None
    found = _FILE.match(text)
    if found is None or found["name"] != name:
        raise PromptError(f"prompts/{name}.md: a header with name and version, # System and # User are expected")
    return PromptText(name, int(found["version"]), found["system"].strip(), (found["user"] or "").strip())
