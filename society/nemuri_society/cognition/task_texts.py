"""The tasks that the modules set a model, as files with names and versions (`prompts/NAME.md`)."""

from dataclasses import dataclass
from typing import Final

from nemuri_infra.models.prompt_files import PLACEHOLDER, read_prompt

PACKAGE: Final = "nemuri_society.cognition"


@dataclass(frozen=True, slots=True)
class TaskText:
    """A task with its values."""

    label: str
    """Name and version, such as "society_speech@1"."""
    text: str


def task_text(name: str, **values: str) -> TaskText:
    """Return the task of a name with these values.

    Raises `PromptError` if there is none, or if its placeholders differ from the values.
    """
    found = read_prompt(PACKAGE, name)
    found.check(frozenset(values))
    return TaskText(found.label, PLACEHOLDER.sub(lambda place: values[place[1]], found.system))
