"""Intents: executable commands parsed from a few words, such as `collect 3 wood` or `give 2 wood to bea`.

The priority action of a decision and the steps of a plan are written in such words. Only this module parses them, so
acts and spoken promises are compared in the same terms.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

from nemuri_society.contracts.world_protocol import COMMAND_LIMIT

Verb = Literal[
    "collect",
    "craft",
    "place",
    "give",
    "trade",
    "deposit",
    "withdraw",
    "go",
    "follow",
    "explore",
    "rest",
    "wait",
    "plan",
    "do",
]
"""All executable verbs. `plan` means to continue with the plan, step by step, and `do` to give a command in words that
the world reads.
"""
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)
COMMAND_MARK: Final = "do:"
"""What precedes a command of the world in the words of an intent."""
MAX_PLAN_WORDS: Final = 4
"""Maximum number of words with "plan" as the last that mean to follow the plan, not to give a command."""
MAX_COUNT: Final = 64
"""Maximum count of an intent."""
BLOCK_VERBS: Final[tuple[Verb, ...]] = tuple(verb for verb in VERBS if verb not in {"plan", "do"})
"""The verbs of a world of blocks."""
ACTION_OF: Final[Mapping[Verb, str]] = {verb: verb for verb in BLOCK_VERBS} | {
    "follow": "go", "explore": "go", "wait": "rest",
}  # fmt: skip
"""The action of the world that each of them is made of."""
_SYNONYMS: Final[dict[Verb, str]] = {
    "collect": "collect gather mine dig chop cut harvest get fetch pick obtain take farm find acquire",
    "craft": "craft make build create smelt cook forge",
    "place": "place put set plant lay",
    "give": "give hand share bring deliver donate",
    "trade": "trade exchange barter swap",
    "deposit": "deposit store stash",
    "withdraw": "withdraw",
    "go": "go move walk travel head return approach visit",
    "follow": "follow accompany",
    "explore": "explore search scout wander look",
    "rest": "rest sleep",
    "wait": "wait stay idle nothing none stand",
    "plan": "plan continue proceed",
}
VERB_OF: Final[dict[str, Verb]] = {word: verb for verb, words in _SYNONYMS.items() for word in words.split()}
"""The verb that each synonym stands for."""
NEEDS_ITEM: Final = frozenset[Verb]({"collect", "craft", "place", "give", "deposit", "withdraw"})
_TEN: Final = "one two three four five six seven eight nine ten"
_NUMBERS: Final = {word: count for count, word in enumerate(_TEN.split(" "), 1)}
_ARTICLES: Final = "a an the some more of my your our up down out off x piece pieces block blocks"
_FILLERS: Final = frozenset(_ARTICLES.split(" "))
_PREPOSITIONS: Final = "to with for from at near using by in on into onto until and then toward towards"
_BREAKS: Final = frozenset(_PREPOSITIONS.split(" "))
_WORD: Final = re.compile(r"[^\W\d][\w-]*|-?\d+|[,;:.!?()](?=\s|$)")
"""Pattern of a word, a number, or a punctuation mark that ends a name."""
_NAME: Final = 4
"""Maximum number of words of a name."""
_ITEM: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Intent:
    """One executable command."""

    verb: Verb
    item: str | None = None
    """An item or block. For a trade, the offered item."""
    count: int = 1
    """Number of items, 1 to 64."""
    whom: str | None = None
    """Name of an agent, or of the target of `go`. It may include further words of the text."""
    want: str | None = None
    """The wanted item of a trade."""
    price: int = 1
    """The number of wanted items of a trade."""
    place: tuple[int, int, int] | None = None
    command: str | None = None
    """The words of a command of the world."""

    def words(self) -> str:
        """Return the words of the intent. `read_intent` parses them to an equal intent."""
        if self.command is not None:
            return f"{COMMAND_MARK} {self.command}"
        parts: list[str] = [self.verb]
        if self.item is not None:
            parts += [str(self.count), self.item]
        elif self.count > 1:
            parts.append(str(self.count))
        if self.want is not None:
            parts += ["for", str(self.price), self.want]
        if self.whom is not None:
            parts += ["with" if self.verb == "trade" else "to", self.whom]
        if self.place is not None:
            parts += ["to", *map(str, self.place)]
        return " ".join(parts)


@lru_cache(maxsize=4096)
def read_intent(text: str, commands: frozenset[str] = frozenset()) -> Intent | None:
    """Return the first intent in a text; None if there is none. A text with "plan" among its first words means
    `plan`.

    `commands` are the first words of the commands of the world. A text that begins with one of them is a command, and
    so is what follows `COMMAND_MARK`.
    """
    if (command := _command(text, commands)) is not None:
        return Intent("do", command=command)
    words = [part for word in _WORD.findall(text[:400]) for part in _parts(word)]
    if "plan" in (word.casefold() for word in words[:4]):
        return Intent("plan")
    for number, word in enumerate(words):
        if (verb := VERB_OF.get(word.casefold())) is not None:
            return _read(verb, words[number + 1 :])
    return None


def _command(text: str, commands: frozenset[str]) -> str | None:
    line = " ".join(text.split()).strip("`\"' ")
    if line.startswith(COMMAND_MARK):
        return line.removeprefix(COMMAND_MARK).strip()[:COMMAND_LIMIT] or None
    words = [word.strip(".,:;!`\"'").casefold() for word in line.split(" ")]
    if words[0] not in commands or (len(words) <= MAX_PLAN_WORDS and words[-1] == "plan"):
        return None
    return line[:COMMAND_LIMIT]


def singular(word: str) -> str:
    """Return the singular of an item's name: `logs`, `torches` and `pickaxes` lose their plural, `glass` stays."""
    if word.endswith(("ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _parts(word: str) -> list[str]:
    """Return the parts of a word between underscores if it begins with a verb (`move_to_mine`), else the word alone
    (`stone_pickaxe`).
    """
    first, *rest = word.split("_")
    return [first, *rest] if rest and first.casefold() in VERB_OF else [word]


def _read(verb: Verb, words: list[str]) -> Intent | None:
    numbers = [int(word) for word in words if re.fullmatch(r"-?\d+", word)]
    if verb == "go" and len(numbers) >= 3:
        return Intent("go", place=(numbers[0], numbers[1], numbers[2]))
    count, item, rest = _thing(words)
    after = {word.casefold(): _thing(rest[number + 1 :]) for number, word in enumerate(rest) if word in _BREAKS}
    whom = next((_name(rest, word) for word in ("to", "with", "towards", "toward", "near") if word in after), None)
    if verb == "give" and whom is None and (number := _number_in(words)):
        whom, (count, item, rest) = _named(words[:number]), _thing(words[number:])
    if verb in NEEDS_ITEM and item is None:
        return None
    match verb:
        case "trade":
            price, want, _ = after.get("for", (1, None, []))
            return Intent(verb, item, count, whom, want, price) if item and want and whom else None
        case "give":
            return Intent(verb, item, count, whom) if whom else None
        case "go" | "follow":
            whom = whom or _named(words)
            return Intent(verb, whom=whom) if whom else None
        case "plan":
            return Intent(verb)
        case "explore" | "rest" | "wait":
            return Intent(verb, count=count)
        case _:
            return Intent(verb, item, count)


def _thing(words: list[str]) -> tuple[int, str | None, list[str]]:
    """Return the count and the item before the next preposition or mark, and the words from there on."""
    count, names = 1, list[str]()
    for number, word in enumerate(words):
        plain = word.casefold()
        if plain in _BREAKS or (names and _is_mark(word)):
            return count, _item(names), words[number:]
        if _is_mark(word):
            continue
        if plain.isdecimal():
            count = min(MAX_COUNT, max(1, int(plain)))
        elif plain in _NUMBERS:
            count = _NUMBERS[plain]
        elif plain not in _FILLERS and not plain.startswith("-"):
            names.append(plain)
    return count, _item(names), []


def _item(names: list[str]) -> str | None:
    item = singular("_".join(names[:3]))
    return item if _ITEM.fullmatch(item) else None


def _name(words: list[str], preposition: str) -> str | None:
    return _named(words[[word.casefold() for word in words].index(preposition) + 1 :])


def _named(words: list[str]) -> str | None:
    """Return the name at the beginning of the words, up to the next mark or preposition. It may contain numbers, as in
    `Aiko 2`.
    """
    begin = next((nth for nth, word in enumerate(words) if _begins_a_name(word)), len(words))
    end = next((nth for nth, word in enumerate(words) if nth > begin and _ends_a_name(word)), len(words))
    return " ".join(words[begin : min(end, begin + _NAME)]) or None


def _begins_a_name(word: str) -> bool:
    return word.casefold() not in _FILLERS | _BREAKS and not word.lstrip("-").isdecimal() and not _is_mark(word)


def _ends_a_name(word: str) -> bool:
    return word.casefold() in _BREAKS or _is_mark(word)


def _is_mark(word: str) -> bool:
    return word[-1] in ",;:.!?()"


def _number_in(words: list[str]) -> int:
    """Return the index of the first count, as in `give Bea 2 wood`; 0 if there is no count or if it is the first
    word.
    """
    counts = (nth for nth, word in enumerate(words) if word.isdecimal() or word.casefold() in _NUMBERS)
    return next(counts, 0)
