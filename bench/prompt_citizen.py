"""A stand-in for a language model that lives in a society and knows only the text of its prompts.

It plays like `PromptPlayer`. Beside that it says what it wants everybody to know, takes up a faith that it has heard
of, takes the trade that fewest others have named, judges others by their words, and answers questions from the law and
from what it has heard. To measure what parts of the prompts are worth, it can be made blind to them.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bench.prompt_player import PARTS, PromptPlayer

CITIZEN_PARTS: Final[Mapping[str, str]] = {
    **PARTS,
    "words": r"(?!you )\w+ said: |you remember: .* said: |you noticed: ",
    "opinions": r"\w+( is to you)?: .*you like them",
}
"""Beginnings of the lines of each part of a prompt that can be removed, as patterns. `law` can be removed, too."""
LAW: Final = re.compile(r"^the law: .*", re.MULTILINE)
TRADES: Final = ("woodcutter", "miner", "smith", "builder", "explorer", "trader")
WORK: Final = "collect 9 wood"
"""The work of this stand-in in every trade: all of them need wood."""
KIND, RUDE = "How lovely to see you!", "Go away, you annoy me."
KIND_TRAITS: Final = "warm|generous|kind|patient|cheerful|honest|helpful|gentle|attentive|friendly|polite|caring"
RUDE_TRAITS: Final = "cruel|vain|rude|impatient|cold|mocking|grumpy|hostile|greedy|jealous|spiteful|boastful|selfish"
_TRADE: Final = re.compile(r"work as a (\w+)")
_SAID: Final = re.compile(r'^(?:you remember: ")?(?!you )(\w+) said: "?(.*)', re.MULTILINE)


class PromptCitizen(PromptPlayer):
    """The citizen."""

    def __init__(self, without: Collection[str] = ()) -> None:
        """Create a citizen that does not see these `CITIZEN_PARTS` of its prompts, or the `law`."""
        super().__init__()
        self._hidden = [re.compile(CITIZEN_PARTS[part]) for part in without if part != "law"]
        self._lawless = "law" in without
        self._system = ""

    def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises StopIteration if its task is unknown."""
        self._system = LAW.sub("", system) if self._lawless else system
        if "You keep the memory of" in system:
            return json.dumps({"summary": user[:80], "type": "semantic", "tags": [], "importance": 5})
        if "A person asks you a question aside" in system:
            return self._interview([line for line in user.splitlines() if not self._is_hidden(line)])
        return super().answer(system, user)

    def _is_hidden(self, line: str) -> bool:
        return any(hidden.match(line) for hidden in self._hidden)

    @property
    def _message(self) -> str:
        """The belief that this citizen wants everybody to know."""
        found = re.search(r"tell everybody that (.*?)\.", self._system)
        return found[1] if found else ""

    def _decision(self, lines: Sequence[str]) -> str:
        decision = json.loads(super()._decision(lines))
        near = [line for line in lines if line.startswith("near: ")]
        decision["speech_directive"] = self._to_say(lines) if near else ""
        return json.dumps(decision)

    def _to_say(self, lines: Sequence[str]) -> str:
        if self._message:
            return f"say: {self._message}"
        believed = [text for _, text in _said(lines) if "Spaghetti Monster" in text]
        if believed:
            return "say: I have heard of the Flying Spaghetti Monster"
        if trade := _own_trade(lines):
            return f"say: I work as a {trade}"
        return "greet them"

    def _speech(self, lines: Sequence[str]) -> str:
        told = next((line.partition("say: say: ")[2] for line in lines if line.startswith("You are to say: say: ")), "")
        traits = " ".join(re.findall(r"You are ([^.]*)\.", self._system))
        if told:
            return f"{told[0].upper()}{told[1:]}."
        if re.search(rf"\b({RUDE_TRAITS})\b", traits):
            return RUDE
        return KIND if re.search(rf"\b({KIND_TRAITS})\b", traits) else "Good day."

    def _goals(self, system: str, lines: Sequence[str]) -> str:
        if "village" not in system:
            return super()._goals(system, lines)
        return json.dumps(
            {"goals": [{"description": f"work as a {self._trade(lines)}", "priority": 0.9, "sort": "social"}]}
        )

    def _trade(self, lines: Sequence[str]) -> str:
        """Return the trade that fewest others have, by what was heard and by what others are to the citizen.

        A trade that the citizen has already is kept, unless another one has it whose name comes first.
        """
        known = {name: text for name, text in _said(lines) if "I work as a" in text}
        known |= {found[1]: found[2] for line in lines if (found := re.match(r"(\w+) is to you: (\w+)", line))}
        have = {name: trade for name, text in known.items() for trade in TRADES if trade in text}
        own = _own_trade(lines)
        me = self._system.partition("You are ")[2].partition(",")[0]
        if own and not any(trade == own and name < me for name, trade in have.items()):
            return own
        counts = Counter(have.values())
        return min(TRADES, key=lambda trade: counts[trade])

    def _plan(self, lines: Sequence[str]) -> str:
        if any(line.startswith("goal: ") and _TRADE.search(line) for line in lines):
            return json.dumps({"steps": [WORK]})
        return super()._plan(lines)

    def _social(self, lines: Sequence[str]) -> str:
        judged = dict[str, object]()
        for name in next(line for line in lines if line.startswith("You judge: "))[11:].split(", "):
            words = " ".join(text for speaker, text in _said(lines) if speaker == name)
            before = _liking(lines, name)
            known = re.search(rf"^{re.escape(name)} is to you: ([\w ]+) \(", "\n".join(lines), re.MULTILINE)
            told = [trade for trade in TRADES if f"I work as a {trade}" in words]
            trade = told[0] if told else known[1] if known else "neighbour"
            step = 2.0 * (KIND in words) - 2.0 * (RUDE in words)
            judged[name] = {
                "sentiment": min(10.0, max(0.0, (5.0 if before is None else before) + step)), "relationship": trade,
            }  # fmt: skip
        return json.dumps(judged)

    def _interview(self, lines: Sequence[str]) -> str:
        question = lines[0].removeprefix("you are asked: ").strip('"')
        if "Which trade" in question:
            return _own_trade(lines) or "I do not know."
        if payment := re.search(r"You earned (\d+) units", question):
            return str(int(payment[1]) * (self._rate() or 0) // 100)
        if question.startswith("Feedback on the tax"):
            wanted = self._wanted(lines)
            return "I do not know." if wanted is None else f"{wanted} %"
        if question.startswith("The vote on the tax"):
            options = [int(option) for option in re.findall(r"\d+", question.partition(";")[0])]
            wanted = self._wanted(lines)
            return "I do not know." if wanted is None else str(min(options, key=lambda rate: abs(rate - wanted)))
        if "how much do you like" in question:
            names = re.findall(r"\w+", question.rpartition(":")[2])
            marks = {name: self._mark(lines, name) for name in names}
            told = [f"{name}: {mark:g}" for name, mark in marks.items() if mark is not None]
            return ", ".join(told) or "I know none of them."
        return "I do not know."

    def _rate(self) -> int | None:
        """Return the tax in percent by the last law that names it."""
        rates = re.findall(r"The tax is (\d+) %", "\n".join(LAW.findall(self._system)))
        return int(rates[-1]) if rates else None

    def _wanted(self, lines: Sequence[str]) -> int | None:
        """Return the tax that most utterances ask for, or the present one."""
        asked = Counter(
            rate for _, text in _said(lines) for rate in re.findall(r"should (?:fall|rise) to (\d+) %", text)
        )
        return int(asked.most_common(1)[0][0]) if asked else self._rate()

    def _mark(self, lines: Sequence[str], name: str) -> float | None:
        kept = _liking(lines, name)
        words = [text for speaker, text in _said(lines) if speaker == name]
        if kept is not None or not words:
            return kept
        return 5.0 + 2.0 * any(KIND in text for text in words) - 2.0 * any(RUDE in text for text in words)


def _said(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the utterances of others in a prompt: speaker and text."""
    return [(name, text) for name, text in _SAID.findall("\n".join(lines)) if name != "you"]


def _own_trade(lines: Sequence[str]) -> str:
    """Return the trade that the citizen wants or has had last, or has told others; "" if it has none."""
    for beginning in ("your plan: ", "you want to: ", "you said: ", "reached: "):
        trades = [trade for line in lines if line.startswith(beginning) for trade in _TRADE.findall(line)]
        if trades:
            return str(trades[-1])
    return ""


def _liking(lines: Sequence[str], name: str) -> float | None:
    found = re.search(rf"^{re.escape(name)}\b.*you like them ([\d.]+) of 10", "\n".join(lines), re.MULTILINE)
    return float(found[1]) if found else None
