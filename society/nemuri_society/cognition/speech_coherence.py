"""A check that speech does not contradict the decision (document 002 §1.1).

It finds English promises in the first person ("I'll …", "I am …ing", "let's …", and their denials) with a known verb,
and compares their verb and item with the action in force. It ignores other languages, other forms of promises, irony,
recipients, amounts and times. Speech that it cannot judge passes the check.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_society.cognition.intents import VERB_OF, Intent, Verb, singular
from nemuri_society.world.game_rules import BLOCKS, COLLECTING_RULES, ITEMS

_PROMISE: Final = re.compile(
    r"\b(?:i|we)(?:'ll| will| shall| am going to|'m going to| are going to|'re going to|'m about to| am about to"
    r"| want to| plan to| need to|'m off to|'m| am|'re| are)\s+"
    r"(?P<not>not (?:going to |about to )?)?(?P<clause>[^.!?;:\n]+)"
    r"|\b(?:i|we) (?P<never>won't|will never|never|don't|do not) (?P<denied>[^.!?;:\n]+)"
    r"|\blet(?: me|'s| us) (?P<let>[^.!?;:\n]+)",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r",|\band\b|\bthen\b|\bbut\b", re.IGNORECASE)
_DENIED: Final = re.compile(r"\bnot\b|\bnever\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z_]+")
_LEADING_ON: Final = frozenset[Verb]({"go", "follow", "explore"})
"""Verbs of movement, which are part of almost any action."""
_STILL: Final = frozenset[Verb]({"rest", "wait"})
_AMBIGUOUS: Final = (
    "get take make find put set share bring hand build look pick cut return store continue cook place stand head move"
    " plan none nothing idle"
)
_VAGUE: Final = frozenset(_AMBIGUOUS.split(" "))
"""Words that count as a verb only if they are followed by an item."""
_KNOWN: Final = frozenset([*ITEMS, *BLOCKS]) - {"edge", "path"}


@dataclass(frozen=True, slots=True)
class Promise:
    """An action that a speaker promises to do, or says not to do."""

    verb: Verb
    item: str | None
    denied: bool


def promises(text: str) -> Iterator[Promise]:
    """Yield the promises that are recognised in a text."""
    for found in _PROMISE.finditer(text.replace("’", "'")):
        denied = bool(found["never"] or found["not"])
        for part in _PARTS.split(found["clause"] or found["denied"] or found["let"]):
            yield from _promised(part, denied=denied or bool(_DENIED.search(part)))


def contradiction(text: str, intent: Intent, steps: Sequence[Intent] = ()) -> str | None:
    """Return a one-line description of the contradiction between a text and the action in force; None if there is none.

    `steps` are the remaining steps of the plan. They count only if the action is to follow the plan.
    """
    doing = list(steps) if intent.verb == "plan" else [intent]
    if any(one.verb == "do" for one in doing):
        return None  # What a command of the world means is known to the world alone.
    for promise in promises(text):
        promised = f"{promise.verb} {promise.item or ''}".rstrip()
        if promise.denied:
            if any(promise.verb == one.verb and promise.item and _same(promise.item, one.item) for one in doing):
                return f"it denies to {promised}, which is decided"
        elif not _kept(promise, doing):
            return f"it promises to {promised}, which is not decided"
    return None


def _kept(promise: Promise, doing: Iterable[Intent]) -> bool:
    if promise.verb in _LEADING_ON:
        return any(one.verb not in _STILL for one in doing)
    if promise.verb in _STILL:
        return any(one.verb in _STILL for one in doing)
    return any(
        promise.verb == one.verb and (promise.item is None or one.item is None or _same(promise.item, one.item))
        for one in doing
    )


def _same(one: str, other: str | None) -> bool:
    """Return True if two words name the same thing. A block and the item that it gives are the same."""
    if other is None or one == other:
        return one == other
    return any(COLLECTING_RULES[a].item == b for a, b in ((one, other), (other, one)) if a in COLLECTING_RULES)


def _promised(clause: str, *, denied: bool) -> Iterator[Promise]:
    words = [_plain(word) for word in _WORD.findall(clause.casefold())]
    for number, word in enumerate(words[:6]):
        verb = VERB_OF.get(word)
        if verb is None or verb == "plan":
            continue
        item = _item(words[number + 1 :])
        if item is not None or word not in _VAGUE:
            yield Promise(verb, item, denied)
            return


def _item(words: list[str]) -> str | None:
    """Return the first known item in the words. Two words are tried before one: `stone pickaxe` is not `stone`."""
    for number in range(len(words)):
        for wide in (2, 1):
            name = singular("_".join(words[number : number + wide]))
            if name in _KNOWN:
                return name
    return None


def _plain(word: str) -> str:
    """Return the verb without its ending -ing, if a known verb results; otherwise the word itself."""
    if word in VERB_OF or not word.endswith("ing"):
        return word
    stem = word.removesuffix("ing")
    forms = (stem, f"{stem}e", stem[:-1] if stem[-2:-1] == stem[-1:] else stem)
    return next((form for form in forms if form in VERB_OF), word)
