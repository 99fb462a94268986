"""Results of a panel: all answers side by side, the merged answer, and dissent (document 000 §3.1)."""

from collections.abc import Sequence

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import Dissent, Panel, TaskCompleted, Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.consensus import compare_texts
from nemuri_domain.tasks.fan_in import answers, joined_answers, shortened
from nemuri_domain.tasks.task_attempts import attempt_key

VOICES_CHARACTERS, MERGED_CHARACTERS, DISSENT_CHARACTERS = 80_000, 20_000, 20_000
"""Maximum characters of all voices, of the merged answer, and of all dissent. The event `task_completed` contains each
twice: in its answer and in its panel.
"""

_TITLES = {"en": ("Dissent", "Side by side"), "ja": ("異論", "それぞれの回答")}
_FEWER = {
    "en": "{seated} of the {asked} voices asked for could be seated.",
    "ja": "求められた{asked}つの声のうち、席に着けたのは{seated}つです。",
}
_ALONE = {"en": "only {agent} says: {text}", "ja": "{agent}のみ：{text}"}
_BACKED = {"en": "{text} ({agents})", "ja": "{text}（{agents}）"}


def voices_of(state: TaskState) -> tuple[Voice, ...] | None:
    """Return one voice per member: its answers joined over the parts of the task, in the order of the assignments.

    None if an answer is missing or the task has no panel. A member is an agent with a perspective.
    """
    found = answers(state)
    if state.task is None or state.task.panel is None or found is None:
        return None
    in_order = sorted((work for work, _, _ in found), key=lambda work: (work.assigned_at, str(work.assignment_id)))
    members = dict.fromkeys((work.agent_id, work.perspective) for work in in_order)
    room = _room(len(members), rebuttal=state.task.rebuttal)
    revisions = {(revision.agent_id, revision.perspective): revision.revision for revision in state.task.revisions}
    said = {
        member: joined_answers(
            ((part, text) for work, part, text in found if (work.agent_id, work.perspective) == member), room
        )
        for member in members
    }
    return tuple(
        Voice(agent_id=member[0], perspective=member[1], answer=answer, revision=revisions.get(member))
        for member, answer in said.items()
    )


def request_of(task: Task) -> str:
    """Return the complete request of a panel: the texts of all parts, including the items of documents."""
    return "\n".join(dict.fromkeys(task.part(number).text for number in range(len(task.parts))))


def room_of(state: TaskState) -> int:
    """Return the maximum characters of one answer of a panel member."""
    seats = {(work.agent_id, work.perspective) for work in state.present}
    return _room(len(seats), rebuttal=state.task is not None and state.task.rebuttal)


def _room(members: int, *, rebuttal: bool) -> int:
    """Return the share of one answer. The event contains two answers of each member, three with a rebuttal."""
    return VOICES_CHARACTERS * 2 // (3 if rebuttal else 2) // max(1, members)


def current(voice: Voice) -> Voice:
    """Return the voice with the answer that the member gives in the end: the revised one, if it revised its answer."""
    return voice if voice.revision is None else voice.model_copy(update={"answer": voice.revision.answer})


def unlabelled(voices: Sequence[Voice]) -> tuple[Voice, ...]:
    """Return the voices with their last answers and without citation labels, because the same label means another
    memory for each agent.
    """
    last = map(current, voices)
    return tuple(voice.model_copy(update={"answer": without_citations(voice.answer)}) for voice in last)


def concluded(
    cause: Event, task: Task, voices: Sequence[Voice], text: str, dissent: Sequence[Dissent], usage: Usage
) -> TaskCompleted:
    """Return the event that completes a panel's task: the merged answer, the dissent, and all answers side by side.

    `text` is the merged answer. If every member gave exactly this answer, the answers are not repeated side by side.
    After a rebuttal the answers are the revised ones; the first ones are in the panel.
    """
    share = DISSENT_CHARACTERS // max(1, len(dissent))
    kept = tuple(claim.model_copy(update={"text": shortened(claim.text, share)}) for claim in dissent)
    merged_text = shortened(text, MERGED_CHARACTERS)
    dissent_title, voices_title = _TITLES[_language(task.text)]
    sections = [merged_text]
    if short := fewer(len(voices), task.panel, _language(task.text)):
        sections.append(short)
    if kept:
        sections.append(f"## {dissent_title}\n\n" + "\n".join(f"- **{seat(voice)}**: {voice.text}" for voice in kept))
    last = [current(voice) for voice in voices]
    if {without_citations(voice.answer).strip() for voice in last} != {merged_text.strip()}:
        sections.append(f"## {voices_title}\n\n{side_by_side(last)}")
    return TaskCompleted.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        answer="\n\n".join(sections),
        panel=Panel(voices=tuple(voices), merged=merged_text, dissent=kept, usage=usage, asked=task.panel),
    )


def fewer(seated: int, asked: int | None, language: str = "en") -> str:
    """Return a line that says how many of the `asked` seats were filled; "" if all were."""
    return _FEWER[language].format(seated=seated, asked=asked) if asked is not None and seated < asked else ""


def side_by_side(voices: Sequence[Voice]) -> str:
    """Return all answers, each under the names of the members who gave it.

    Answers that differ only in citation labels are shown once, without labels, because labels differ by agent.
    """
    same: dict[str, list[Voice]] = {}
    for voice in voices:
        same.setdefault(without_citations(voice.answer), []).append(voice)
    blocks = [
        (seats(alike), alike[0].answer if len({other.answer for other in alike}) == 1 else bare)
        for bare, alike in same.items()
    ]
    return "\n\n".join(f"### {names}\n\n{answer}" for names, answer in blocks)


def merged(voices: Sequence[Voice]) -> tuple[str, tuple[Dissent, ...]]:
    """Return the merged text of the voices, and their dissent. Both result from comparing the statements of the voices.

    Statements of at least two members come first, with their names unless all members share the statement. Statements
    of one member follow. A statement that at least as many members contradict as support is dissent of its supporters.
    The text is "" if there are no statements.
    """
    found = compare_texts([voice.answer for voice in voices])
    lines = [
        f"- {_backed(shared.text, [voices[index] for index in places]) if len(places) < len(voices) else shared.text}"
        for shared, places in zip(found.shared, found.backing, strict=True)
    ]
    for claim in found.alone:
        form = _ALONE[_language(claim.text)]
        lines.append("- " + form.format(agent=seat(voices[claim.speaker]), text=claim.text))
    held: dict[int, list[str]] = {}
    for claim in found.against:
        held.setdefault(claim.speaker, []).append(claim.text)
    dissent = tuple(dissenting(voices[speaker], " ".join(texts)) for speaker, texts in sorted(held.items()))
    return "\n".join(lines), dissent


def dissenting(voice: Voice, text: str) -> Dissent:
    """Return the dissent with this text, in the name of the voice's member."""
    return Dissent(agent_id=voice.agent_id, perspective=voice.perspective, text=text)


def seat(member: Voice | Dissent) -> str:
    """Return the member's name: the agent, and its perspective if it has one, because an agent may have two seats."""
    return f"{member.agent_id} · {member.perspective}" if member.perspective else member.agent_id


def seats(members: Sequence[Voice]) -> str:
    """Return the names of several members in one line."""
    return ", ".join(map(seat, members))


def _backed(text: str, members: Sequence[Voice]) -> str:
    return _BACKED[_language(text)].format(text=text, agents=seats(members))


def _language(text: str) -> str:
    return "ja" if any(map(is_cjk, text)) else "en"
