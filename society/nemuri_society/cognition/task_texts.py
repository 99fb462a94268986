"""The tasks that the modules set a model, as files with names and versions (`prompts/NAME.md`)."""

from dataclasses import dataclass
from typing import Final

from nemuri_infra.models.prompt_files import PLACEHOLDER, read_prompt
from nemuri_society.cognition.intents import BLOCK_VERBS

PACKAGE: Final = "nemuri_society.cognition"
BLOCK_ACTIONS: Final = (
    f"one of the verbs {', '.join(BLOCK_VERBS)}, with what it needs, like `collect 3 wood`, `craft stone_pickaxe`, "
    "`give 2 wood to NAME`, `trade 1 stone for 2 wood with NAME`, `go to PLACE or NAME`"
)
"""What an action is in a world of blocks."""
COMMANDS: Final = (
    "one of the commands that you can give, written in full with your own words or choices in place of the words in "
    "capitals, or `rest`"
)
"""What an action is in a world with commands of its own."""


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
