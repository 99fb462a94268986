"""The tasks that the modules set a model, as files with names and versions (`prompts/NAME.md`)."""

from dataclasses import dataclass
from typing import Final

from nemuri_infra.models.prompt_files import PLACEHOLDER, read_prompt
from nemuri_society.cognition.intents import ACTION_OF, BLOCK_VERBS, Verb

PACKAGE: Final = "nemuri_society.cognition"
_EXAMPLES: Final[dict[Verb, str]] = {
    "collect": "collect 3 wood",
    "craft": "craft stone_pickaxe",
    "give": "give 2 wood to NAME",
    "trade": "trade 1 stone for 2 wood with NAME",
    "go": "go to PLACE or NAME",
}
COMMANDS: Final = (
    "one of the commands that you can give, written in full with your own words or choices in place of the words in "
    "capitals, or `rest`"
)
"""What an action is in a world with commands of its own."""


def block_actions(allowed: frozenset[str] | None) -> str:
    """Return what an action is in a world of blocks that allows these actions; None allows all."""
    verbs = [verb for verb in BLOCK_VERBS if allowed is None or ACTION_OF[verb] in allowed]
    if not verbs:
        return "empty, because nothing can be done here but to speak"
    examples = ", ".join(f"`{_EXAMPLES[verb]}`" for verb in verbs if verb in _EXAMPLES)
    return f"one of the verbs {', '.join(verbs)}, with what it needs{f', like {examples}' if examples else ''}"


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
