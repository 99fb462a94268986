"""Text output about affective memory: levels, mood, strongest memories, open protection requests and cost."""

from typing import TYPE_CHECKING, Any

from nemuri.terminal.output import say, short, table
from nemuri_contracts.affective_views import (
    AffectMemoryView,
    AffectPageView,
    AffectRecallView,
    AffectView,
    RecalledView,
    TurnView,
)
from nemuri_domain.affective.cost_estimate import OperationCounts, estimate_costs, total_dollars
from nemuri_domain.affective.nightly_job import allowed_number
from nemuri_domain.affective.policy import AffectPolicy

if TYPE_CHECKING:
    from datetime import date

LEVELS = ("1 whole", "2 summary", "3 keywords", "4 archive")
MOODS = 7
"""Number of days whose mood text output shows, the latest ones. JSON output has all days."""
STRONGEST_SHOWN = 10
YEN_PER_DOLLAR = 150
"""Yen per US dollar, as in document 001."""


def show(view: AffectView) -> None:
    """Print the overview of an agent's affective memory."""
    night = "no night yet" if view.last_night is None else f"{view.nights} nights, the last on {view.last_night}"
    say(f"{view.agent_id}: {view.remembered} turns remembered, {view.recalls} recalls, {night}\n")
    _levels(view)
    _spending(view)
    if view.waiting:
        _question(view)
    if view.moods:
        say("")
        numbers = ("memories", "valence", "arousal", "intensity")
        table(("day", *numbers, "mood"), [_mood(mood) for mood in view.moods[-MOODS:]], numbers=numbers)
    if view.memories:
        say("")
        numbers = ("retention", "age", "level", "recalls")
        rows = [_memory(memory) for memory in view.memories[:STRONGEST_SHOWN]]
        table(("label", *numbers, "emotion", "content"), rows, numbers=numbers, spare=("emotion", "recalls", "age"))
    _costs(view)


def _spending(view: AffectView) -> None:
    """Print what language models spent today, and the limits. Nothing is printed without both."""
    limits = AffectPolicy.of(view.parameters).spending
    tokens = f" of {limits.daily_tokens:,}" if limits.daily_tokens else ""
    money = f" of {limits.daily_money:g}" if limits.daily_money else ""
    if view.spent_tokens or tokens or money:
        price = f", {view.spent_money:.4g}{money} of money" if view.spent_money or money else ""
        say(f"language models today: {view.spent_tokens:,}{tokens} tokens{price}")


def _levels(view: AffectView) -> None:
    rules, number = AffectPolicy.of(view.parameters), sum(view.levels)
    most = (
        [str(allowed_number(ratio, number)) for ratio in rules.ratios]
        if number >= rules.compression.enforced_from
        else [""] * 3
    )
    rows = [
        (name, held, f"{held / number:.0%}" if number else "-", cap or "-", f"{size:,}")
        for name, held, cap, size in zip(LEVELS, view.levels, [*most, ""], view.characters, strict=True)
    ]
    numbers = ("memories", "share", "at most", "characters")
    table(("level", *numbers), rows, numbers=numbers)
    if number and not any(most):
        say(f"shares are enforced at {rules.compression.enforced_from} memories or more")
    say(f"protected: {view.protected} of {view.limit}, {view.protected_characters:,} characters")


def _question(view: AffectView) -> None:
    say("\nThese memories wait for protection, but the limit is reached:")
    for memory in view.waiting:
        say(f"  {_named(memory)}")
    say("Choose a protected memory to release. The oldest are:")
    for affect_memory in view.oldest_protected:
        say(f"  {_named(affect_memory)}")
    say(
        f"Run `nemuri affect {view.agent_id} unprotect MEMORY`, or withdraw a waiting one:"
        f" `nemuri affect {view.agent_id} unprotect {view.waiting[0].label}`"
    )


def _named(memory: AffectMemoryView) -> str:
    return short(f"{memory.label} [{memory.said_at:%Y-%m-%d}] {memory.trigger}", 120)


def _mood(point: Any) -> "tuple[date, int, str, str, str, str]":
    word = "bright" if point.valence > 1 / 3 else "dark" if point.valence < -1 / 3 else "even"
    awake = "awake" if point.arousal > 60 else "calm" if point.arousal <= 30 else ""
    feeling = ", ".join(filter(None, (word, awake)))
    return point.day, point.memories, f"{point.valence:+.2f}", f"{point.arousal:.0f}", f"{point.intensity:.0f}", feeling


def _memory(each: AffectMemoryView) -> tuple[object, ...]:
    felt = ", ".join(each.emotion.tags) or each.emotion.valence
    mark = {"protected": "[protected] ", "asked": "[waiting] ", "none": ""}[each.protection]
    text = f"{mark}{each.trigger} → {each.content}"
    return each.label, f"{each.retention:.1f}", f"{each.days:.1f}", each.level, each.recall_count, felt, short(text)


def work(view: AffectView) -> OperationCounts:
    """Return the numbers of remembered turns, recalls and compressed memories so far, for the cost estimate."""
    return OperationCounts(view.remembered, view.recalls, *view.compressed)


def days(view: AffectView) -> int:
    """Return the number of days from the first turn to the last mood or nightly job, both included; at least 1."""
    known = [mood.day for mood in view.moods[-1:]] + [night for night in (view.last_night,) if night]
    return 1 if view.first_at is None else max([1, *((day - view.first_at.date()).days + 1 for day in known)])


def _costs(view: AffectView) -> None:
    if not view.remembered:
        return
    done, number = work(view), days(view)
    so_far, year = total_dollars(estimate_costs(done)), total_dollars(estimate_costs(done.yearly(number)))
    span = "this day" if number == 1 else f"these {number} days"
    say(
        f"\nAt the prices and lengths of document 001 this would have cost ${so_far:,.2f} with paid models;"
        f" a year at the pace of {span} ${year:,.2f} (¥{year * YEN_PER_DOLLAR:,.0f})"
    )


def cost_json(view: AffectView) -> dict[str, Any]:
    """Return the cost estimate as JSON values: US dollars for each kind of work, so far and for a year at the same
    rate.
    """
    done, number = work(view), days(view)
    told = {"so_far": done, "a_year": done.yearly(number)}
    return {"days": number} | {
        name: {cost.work: round(cost.dollars, 4) for cost in estimate_costs(of)} for name, of in told.items()
    }


def show_page(page: AffectPageView) -> None:
    """Print a page of memories as a table, and how to get the next one."""
    if not page.memories:
        say("no memories")
        return
    numbers = ("retention", "age", "level", "recalls")
    rows = [_memory(memory) for memory in page.memories]
    table(("label", *numbers, "emotion", "content"), rows, numbers=numbers, spare=("emotion", "recalls", "age"))
    if page.older is not None:
        say(f"more: --older-than {page.older}")


def show_memory(memory: AffectMemoryView) -> None:
    """Print one memory in full, with the values that decide how long it is kept."""
    felt = ", ".join(memory.emotion.tags) or memory.emotion.valence
    protection = {"protected": ", protected", "asked": ", waits for protection", "none": ""}[memory.protection]
    say(f"{memory.label} [{memory.said_at:%Y-%m-%d}] level {LEVELS[memory.level - 1]}{protection}")
    say(
        f"{memory.category}, intensity {memory.intensity}, {felt}; retention {memory.retention:.1f} of 100"
        f" after {memory.days:.1f} days, coefficient {memory.coefficient:.3f}; recalled {memory.recall_count} times"
    )
    say(f"project: {memory.project or '-'}, {_scope(memory)}")
    say(f"keywords: {', '.join(memory.keywords) or '-'}\n\n{memory.trigger}\n→ {memory.content}")
    if memory.level > 1:
        say("\nThe turn itself, word for word: --verbatim")


CONCERNS = {
    "user": "about the user",
    "life": "about the user's life",
    "rule": "a rule of the project",
    "open": "left open",
    "work": "work",
    "trivia": "trivial",
}
"""Words for what a memory concerns."""


def _scope(memory: AffectMemoryView) -> str:
    """Return what a memory concerns, and whether it is shown unasked."""
    return f"{CONCERNS[memory.concern]}{', only when asked for' if memory.only_asked else ''}"


def show_scope(memory: AffectMemoryView, *, changed: bool) -> None:
    """Print where a memory matters, after it was rescoped."""
    say(f"{memory.label}: project {memory.project or '-'}, {_scope(memory)}{'' if changed else ' (nothing changed)'}")


def show_turn(turn: TurnView) -> None:
    """Print the prompt and the reply of a turn, word for word."""
    say(f"{turn.label} [{turn.said_at:%Y-%m-%d %H:%M}] session {turn.session}\n\n> {turn.prompt}\n\n{turn.reply}")


def _marks(one: RecalledView) -> str:
    """Return the marks of an archived memory, and of one that a newer one replaced."""
    until = f"[held until {one.held_until:%Y-%m-%d}, see {one.replaced_by}] " if one.held_until else ""
    return f"{'[archived] ' if one.memory.archived else ''}{until}"


def show_recalled(found: AffectRecallView, project: str | None) -> None:
    """Print the memories that were retrieved in a project (None for all) with their scores as a table."""
    if not found.recalled:
        elsewhere = "" if project is None else f" in the project {project}; --all-projects searches in all"
        say(f"no memory was retrieved{elsewhere}")
        return
    numbers = ("priority", "similarity", "resonance", "retention", "recalls")
    rows = [
        (
            recalled.memory.label,
            f"{recalled.priority:.2f}",
            f"{recalled.similarity:.3f}",
            f"{recalled.resonance:.2f}",
            f"{recalled.memory.retention:.1f}",
            recalled.memory.recall_count,
            recalled.by if recalled.relation is None else f"relation: {recalled.relation}",
            short(f"{_marks(recalled)}{recalled.memory.trigger} → {recalled.memory.content}"),
        )
        for recalled in found.recalled
    ]
    table(("label", *numbers, "by", "content"), rows, numbers=numbers, spare=("resonance", "recalls"))
    if found.words_only:
        say("no vector was available in time; words were compared instead")
