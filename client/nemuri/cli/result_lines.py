"""Text output of a task's result and of the effect of feedback."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, assert_never
from uuid import UUID

import typer

from nemuri.cli.failures import EXIT_FAILURE, EXIT_NEGOTIATION, Failure
from nemuri.cli.session import Session

if TYPE_CHECKING:
    from nemuri_contracts.task_views import Cost, FeedbackStanding, StepView, TaskResult
    from nemuri_contracts.tasks import Overview, Panel, Voice


SIGN_NAMES: Final = {
    "sources_conflict": "sources contradict each other:",
    "memory_against_material": "memory against material:",
    "evidence_missing": "evidence missing:",
}
"""Beginning of the line of a sign of trouble, by its kind."""


def feedback_line(told: "FeedbackStanding") -> str:
    """Return the effect of feedback in one line."""
    match told.standing:
        case "applied":
            number = len(told.memories)
            credited = f"credited to {number} {'memory' if number == 1 else 'memories'}"
            part = f"; refused: {told.reason}" if told.reason else ""
            return f"{credited if number else 'noted; the answer used no memory'}{part}"
        case "parked" | "refused":
            return f"{told.standing}: {told.reason}"
        case "new":
            return "noted; not yet decided"
        case _:
            assert_never(told.standing)


def show_result(found: "TaskResult", session: Session) -> None:
    """Print the result of a task. In text output the answer is left out, because it was printed when it arrived.

    Raises `Failure` if the task failed. Exits with code 4 if the task waits for a choice or an answer of the client.
    """
    from nemuri.terminal.output import say, say_json

    if session.json:
        say_json(found)
    elif found.status == "done":
        for line in _lines(found):
            say(line)
    if found.status == "failed":
        raise Failure(f"task {found.task_id} failed: {found.reason}", EXIT_FAILURE)
    if found.status == "negotiation":
        if not session.json:
            _show_negotiation(found, session)
        raise typer.Exit(EXIT_NEGOTIATION)
    if found.status == "clarification":
        if not session.json:
            say(question_lines(found))
            say(f"  {next_command(session, f'answer {found.task_id} TEXT')}")
        raise typer.Exit(EXIT_NEGOTIATION)


def question_lines(found: "TaskResult") -> str:
    """Return the agent's question with the offered answers, and what follows without an answer; "" without a
    question.
    """
    known = found.clarification
    if known is None:
        return ""
    offered = [f"  - {option}" for option in known.request.options]
    until = f"{known.until.astimezone():%Y-%m-%d %H:%M}"
    otherwise = f"without an answer by {until}, {known.agent_id} assumes: {known.request.assumption}"
    return "\n".join([f"{known.agent_id} asks: {known.request.question}", *offered, otherwise])


def _lines(found: "TaskResult") -> Iterator[str]:
    """Yield the lines about a finished task, after its answer."""
    from nemuri.terminal.output import short

    yield from _answered_by(found)
    yield f"task     {found.task_id}"
    if found.overview is not None:
        yield f"overview {_overview(found.overview)}"
    elif found.share_read is not None and found.share_read < 1:
        yield f"read     {_read(found)}"
    if found.recalled == 0:
        yield "recalled no relevant memory"
    yield from (f"step     {_step(step)}" for step in found.steps)
    yield "cited    " + "\n         ".join(_cited(found))
    yield f"used     {_ids(found.used)}"
    yield f"learned  {_ids(found.learned) if found.settled else 'not yet known'}"
    if found.repeated:
        yield f"repeated {_ids(found.repeated)}"
    yield from (f"dropped  {short(text.text, 60)} ({text.reason})" for text in found.dropped)
    if spent := _spent(found):
        yield f"cost     {spent}"
    for sign in found.signs:
        where = f" ({', '.join(sign.labels)})" if sign.labels else ""
        yield f"{SIGN_NAMES[sign.kind]} {sign.text}{where}"


def _answered_by(found: "TaskResult") -> Iterator[str]:
    from nemuri_domain.tasks.panel import fewer

    if found.panel is None:
        yield f"\nagent    {found.agent_id} ({found.model})"
        return
    seats = ", ".join(map(_voice_name, found.panel.voices))
    yield f"\npanel    {seats} (merged by {found.panel.usage.model})"
    if short_of := fewer(len(found.panel.voices), found.panel.asked):
        yield f"         {short_of}"
    yield from _rebuttal(found.panel)


def _rebuttal(panel: "Panel") -> Iterator[str]:
    """Yield for each member what it says after it has read the others: its position, and its first answer if it has
    another one now.
    """
    from nemuri.terminal.output import short

    for voice, said in ((speaker, speaker.revision) for speaker in panel.voices if speaker.revision):
        if said.problem:
            yield f"rebuttal {_voice_name(voice)} stands by its answer: {said.problem}"
            continue
        if said.stands:
            yield f"rebuttal {_voice_name(voice)} stands by its answer"
        else:
            yield f"rebuttal {_voice_name(voice)} revised its answer"
            yield f"         first: {short(voice.answer, 120)}"
            yield f"         now: {short(said.answer, 120)}"
        if said.takes_over:
            yield f"         takes over: {short(said.takes_over, 120)}"
        if said.contradicts:
            yield f"         contradicts: {short(said.contradicts, 120)}"


def _cited(found: "TaskResult") -> list[str]:
    """Return a line with the ids of the cited memories, and one for each cited passage of a document: `[d1] report.pdf,
    p. 12`. If nothing is cited, one line says so.

    If several agents or parts read documents, the line names the agent, and the part by its number from 1.
    """
    from nemuri_domain.tasks.read_share import place_of

    readers = {(passage.agent_id, passage.part) for passage in found.passages}
    several = len(readers) > 1
    passages = [
        f"[{passage.label}] {place_of(passage.detail)}"
        + (f" ({passage.agent_id}, part {passage.part + 1})" if several else "")
        for passage in found.passages
        if passage.cited
    ]
    return [_ids(found.citations), *passages] if found.citations or not passages else passages


def _read(found: "TaskResult") -> str:
    """Return the share of the documents that was read, in one line."""
    percent = min(99, max(1, round(100 * (found.share_read or 0))))
    return f"{percent} % of the documents, in passages from {found.chunks_read} of {found.chunks} chunks"


def _overview(of: "Overview") -> str:
    """Return how an answer about documents as a whole was made, in one line."""
    basis = {"text": "their text", "notes": "notes on each part", "key points": "a key point of each part"}[of.basis]
    read = "all" if of.parts_read == of.parts else f"{of.parts_read} of {of.parts}"
    left = "" if of.parts_read == of.parts else f" ({max(1, min(99, round(100 * of.share)))} % of the text)"
    return f"{of.kind} of {read} parts of the documents{left}, from {basis}"


def _step(step: "StepView") -> str:
    """Return a step in one line: the tool, what it looked for, and what came back."""
    from nemuri.terminal.output import short

    asked = f"{step.colleague}: {short(step.query, 60)}" if step.colleague else short(step.query, 60)
    if step.problem:
        back = step.problem
    elif step.tool == "consult":
        back = "no answer" if step.answer is None else short(step.answer, 60)
    elif step.tool == "read":
        back = f"{step.passages} passages"
    else:
        back = _ids(step.memories)
    return f"{step.tool} {asked} → {back}"


def _spent(found: "TaskResult") -> str:
    """Return the tokens used by language models, with model and prompts, in one line; empty if no model was called."""
    return "; ".join(map(_cost, (cost for cost in found.costs if cost.tokens)))


def _cost(of: "Cost") -> str:
    cached = f" ({of.cached_tokens:,} cached)" if of.cached_tokens else ""
    price = "" if of.money is None else f"{of.money:.4g}"
    made_by = ", ".join(filter(None, (of.model, *of.prompts, price)))
    return f"{of.step} {of.input_tokens:,}{cached} + {of.output_tokens:,} tokens ({made_by})"


def _voice_name(voice: "Voice") -> str:
    return f"{voice.agent_id} as {voice.perspective}" if voice.perspective else str(voice.agent_id)


def _show_negotiation(found: "TaskResult", session: Session) -> None:
    from nemuri.terminal.output import say, short

    say(found.reason or f"the input holds {len(found.items)} items:")
    for number, item in enumerate(found.items, 1):
        say(f"  {number}. {short(item)}")
    if found.important:
        say("the most important seem to be:")
        for important_item in found.important:
            say(f"  {important_item.number}. {important_item.reason}")
    say("choose how to continue:")
    for option in found.options:
        say(f"  {option.description}\n    {next_command(session, f'answer {found.task_id} {option.name}')}")


def _ids(ids: tuple[UUID, ...]) -> str:
    return ", ".join(str(memory_id) for memory_id in ids) or "nothing"


def next_command(session: Session, arguments: str) -> str:
    """Return a `nemuri` command for the user to type next, with the same data directory."""
    data = f"--data {shlex.quote(str(session.data))} " if session.data else ""
    return f"nemuri {data}{arguments}"
