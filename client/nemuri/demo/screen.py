"""Output of the demo: a few lines for each task, and tables of the memories."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.text import Text

from nemuri.demo.scenario import AskedQuestion, MemorySnapshot
from nemuri.demo.task_trace import TaskTrace
from nemuri.terminal.output import short

LONGEST_QUOTE: Final = 170
"""Maximum number of characters shown of a quotation."""
_QUOTE = re.compile(r"^\s*- (?P<text>.+) \[(?P<label>[md])[0-9]+\]$", re.MULTILINE)
_INDENT: Final = 6


@dataclass(slots=True)
class Screen:
    """The output on a console, above a progress bar."""

    console: Console
    total: int
    """Number of tasks in both rounds together."""
    taught: dict[UUID, int] = field(default_factory=dict)
    """Number of the question from which each memory was learned."""
    _bar: Progress = field(init=False)
    _line: object = field(init=False)

    def __post_init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=self.console, transient=True, disable=not self.console.is_terminal)
        self._line = self._bar.add_task("", total=self.total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def say(self, text: Text | str = "") -> None:
        """Print a paragraph."""
        self.console.print(Text(text) if isinstance(text, str) else text, soft_wrap=False)

    def chapter(self, title: str) -> None:
        """Print a section title."""
        self.say()
        self.console.print(Rule(Text(title, style="bold"), align="left"), soft_wrap=False)

    def doing(self, what: str) -> None:
        """Set the text beside the progress bar."""
        self._bar.update(self._line, description=what)  # type: ignore[arg-type]  # the id that it gave itself

    def show_progress(self, way: TaskTrace) -> None:
        """Show the progress of the present task."""
        self.doing(_stage(way))

    def done(self, asked: AskedQuestion) -> None:
        """Print a finished task: the question, its processing steps, and the first quotation of the answer."""
        self._bar.advance(self._line)  # type: ignore[arg-type]
        again = any(number == asked.number for number in self.taught.values())
        self.say(Text(f"{asked.number:>3}.  {short(asked.question.text, 110)}", style="bold"))
        self._indented(_way(asked, self.taught))
        if quote := _quote(asked):
            self._indented(quote)
        if not again:
            self.taught |= dict.fromkeys(asked.result.learned, asked.number)

    def _indented(self, text: Text) -> None:
        self.console.print(Padding(text, (0, 0, 0, _INDENT)), soft_wrap=False)

    def interval(self, _: MemorySnapshot) -> None:
        """Print the title of the second round."""
        self.chapter("The same questions again, now answered from memory")


def _stage(way: TaskTrace) -> str:
    if way.ended:
        return "sleeping over it"
    if way.learning:
        return "learning"
    if way.agent_id:
        return f"{way.agent_id} answers"
    if way.items:
        return f"{way.items} items, choosing how to continue"
    return f"reading {way.read} of {way.chunks} chunks" if way.chunks else "reading the task"


def _way(asked: AskedQuestion, taught: Mapping[UUID, int]) -> Text:
    """Return the line with the steps of a task: input → agent → used memories → learnings → feedback."""
    steps = [_input(asked), *_negotiated(asked), _chosen(asked), _memory(asked, taught), _learned(asked)]
    if asked.question.praised:
        steps.append("praised")
    line = Text(" → ").join([Text(step) for step in steps])
    line.append(f"   {asked.seconds:.1f} s", style="dim")
    return line


def _input(asked: AskedQuestion) -> str:
    if asked.document is None:
        return "no document"
    name, characters = asked.document
    chunks = f"{asked.way.chunks} chunk{'s' if asked.way.chunks != 1 else ''}"
    return f"{name}, {characters:,} characters in {chunks}"


def _negotiated(asked: AskedQuestion) -> Sequence[str]:
    way = asked.way
    if not way.items:
        return ()
    chosen = asked.question.option.replace("_", " ")
    return (f"{way.items} items, {way.options} options offered, “{chosen}” chosen, {way.parts} parts",)


def _chosen(asked: AskedQuestion) -> str:
    way = asked.way
    who = f"{way.agent_id} ({way.perspective})" if way.perspective else str(way.agent_id)
    if asked.question.agent:
        return f"{who}, requested by name"
    scores = f"{way.scores[0].total:.2f}" if way.scores else "?"
    following = f" before {way.scores[1].agent_id} {way.scores[1].total:.2f}" if len(way.scores) > 1 else ""
    return f"{who}, score {scores}{following}"


def _memory(asked: AskedQuestion, taught: Mapping[UUID, int]) -> str:
    used, recalled = asked.result.used, len(asked.result.retrieved)
    if not recalled:
        return "nothing recalled"
    if not used:
        return f"used none of {recalled} recalled"
    sources = sorted({taught[memory] for memory in used if memory in taught})
    origin = f", learned from question {', '.join(map(str, sources))}" if sources else ""
    return f"used {len(used)} of {recalled} recalled{origin}"


def _learned(asked: AskedQuestion) -> str:
    number = len(asked.result.learned)
    under = ", ".join(dict.fromkeys(asked.lessons))
    return f"learned {number} ({under})" if number else "no new learnings"


def _quote(asked: AskedQuestion) -> Text | None:
    """Return the first quotation of the answer with the number of further quotations; None if there is none."""
    quotes = list(_QUOTE.finditer(asked.result.answer or ""))
    if not quotes:
        return None
    best = quotes[0]
    source = "from memory" if best["label"] == "m" else "from the document"
    more = f" and {len(quotes) - 1} more" if len(quotes) > 1 else ""
    return Text(f"“{short(best['text'], LONGEST_QUOTE)}”", style="italic").append(f"  {source}{more}", style="dim")
