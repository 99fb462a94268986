"""Panel results: voices side by side, the merged answer, and dissent (document 000 §3.1)."""

from collections.abc import Sequence

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import Dissent, Panel, TaskCompleted, Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.consensus import compare_texts
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.fan_in import answers, attempt_key, shortened, whole

VOICES_CHARACTERS, MERGED_CHARACTERS, DISSENT_CHARACTERS = 80_000, 20_000, 20_000
"""Maximum characters of all voices, of the merged answer, and of all dissent. One event holds all of it twice."""

_TITLES = {"en": ("Dissent", "Side by side"), "ja": ("異論", "それぞれの回答")}
_FEWER = {
    "en": "{seated} of the {asked} voices asked for could be seated.",
    "ja": "求められた{asked}つの声のうち、席に着けたのは{seated}つです。",
}
_ALONE = {"en": "only {agent} says: {text}", "ja": "{agent}のみ：{text}"}
_BACKED = {"en": "{text} ({agents})", "ja": "{text}（{agents}）"}


def voices(state: TaskState) -> tuple[Voice, ...] | None:
    """Return each member's answers joined over the parts; None if one is missing or there is no panel.

    Members are identified by agent and perspective, in the order of their assignments.
    """
    found = answers(state)
    if state.task is None or state.task.panel is None or found is None:
        return None
    in_order = sorted((work for work, _, _ in found), key=lambda work: (work.assigned_at, str(work.assignment_id)))
    members = dict.fromkeys((work.agent_id, work.perspective) for work in in_order)
    room = VOICES_CHARACTERS // len(members)
    said = {
        member: whole(((part, text) for work, part, text in found if (work.agent_id, work.perspective) == member), room)
        for member in members
    }
    return tuple(
        Voice(agent_id=agent, perspective=perspective, answer=answer) for (agent, perspective), answer in said.items()
    )


def unlabelled(heard: Sequence[Voice]) -> tuple[Voice, ...]:
    """Return the voices without citation labels, since a label has another meaning for each agent."""
    return tuple(each.model_copy(update={"answer": without_citations(each.answer)}) for each in heard)


def concluded(
    cause: Event, task: Task, heard: Sequence[Voice], text: str, dissent: Sequence[Dissent], usage: Usage
) -> TaskCompleted:
    """Return the end of a panel: the merged answer, the dissent, and all answers side by side.

    If all members gave the merged answer itself, it is written once.
    """
    share = DISSENT_CHARACTERS // max(1, len(dissent))
    kept = tuple(each.model_copy(update={"text": shortened(each.text, share)}) for each in dissent)
    merged_text = shortened(text, MERGED_CHARACTERS)
    against, beside = _TITLES[_language(task.text)]
    sections = [merged_text]
    if short := fewer(len(heard), task.panel, _language(task.text)):
        sections.append(short)
    if kept:
        sections.append(f"## {against}\n\n" + "\n".join(f"- **{seat(each)}**: {each.text}" for each in kept))
    if {without_citations(each.answer).strip() for each in heard} != {merged_text.strip()}:
        sections.append(f"## {beside}\n\n{side_by_side(heard)}")
    return TaskCompleted.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        answer="\n\n".join(sections),
        panel=Panel(voices=tuple(heard), merged=merged_text, dissent=kept, usage=usage, asked=task.panel),
    )


def fewer(seated: int, asked: int | None, language: str = "en") -> str:
    """Return a line that says how many seats could not be filled; "" if all were."""
    return _FEWER[language].format(seated=seated, asked=asked) if asked is not None and seated < asked else ""


def side_by_side(heard: Sequence[Voice]) -> str:
    """Return all answers, each under the names of the members who gave it.

    Answers that differ in citation labels only are the same. They are shown without labels, which differ by agent.
    """
    same: dict[str, list[Voice]] = {}
    for each in heard:
        same.setdefault(without_citations(each.answer), []).append(each)
    blocks = [
        (seats(alike), alike[0].answer if len({each.answer for each in alike}) == 1 else bare)
        for bare, alike in same.items()
    ]
    return "\n\n".join(f"### {names}\n\n{answer}" for names, answer in blocks)


def merged(heard: Sequence[Voice]) -> tuple[str, tuple[Dissent, ...]]:
    """Return the merged text and the dissent of the voices, by comparing their statements.

    Statements of at least two members come first, with names unless all share them, then statements of one member. A
    statement that as many contradict as support is dissent of its supporters. "" if there are no statements.
    """
    found = compare_texts([each.answer for each in heard])
    lines = [
        f"- {_backed(each.text, [heard[place] for place in places]) if len(places) < len(heard) else each.text}"
        for each, places in zip(found.shared, found.backing, strict=True)
    ]
    for each in found.alone:
        form = _ALONE[_language(each.text)]
        lines.append("- " + form.format(agent=seat(heard[each.speaker]), text=each.text))
    held: dict[int, list[str]] = {}
    for each in found.against:
        held.setdefault(each.speaker, []).append(each.text)
    dissent = tuple(dissenting(heard[speaker], " ".join(texts)) for speaker, texts in sorted(held.items()))
    return "\n".join(lines), dissent


def dissenting(voice: Voice, text: str) -> Dissent:
    """Return the dissent of the member with this voice."""
    return Dissent(agent_id=voice.agent_id, perspective=voice.perspective, text=text)


def seat(member: Voice | Dissent) -> str:
    """Return the member's name: the agent, and the perspective that distinguishes two seats of one agent."""
    return f"{member.agent_id} · {member.perspective}" if member.perspective else member.agent_id


def seats(members: Sequence[Voice]) -> str:
    """Return the names of several members."""
    return ", ".join(map(seat, members))


def _backed(text: str, members: Sequence[Voice]) -> str:
    return _BACKED[_language(text)].format(text=text, agents=seats(members))


def _language(text: str) -> str:
    return "ja" if any(map(is_cjk, text)) else "en"
