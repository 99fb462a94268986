"""Routing: choice of agents for each part of a task by fit, past outcomes and load (document 000 §3.1).

Routing reads at most `SUMMARY_TOKENS` tokens of a task or of one part.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.client_events import AGENT_OPTION
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import (
    Choice,
    DecidedBy,
    NegotiationOpened,
    Option,
    TaskAssigned,
    TaskFailed,
    TaskRouted,
)
from nemuri_domain.language import token_estimate
from nemuri_domain.language.overview_requests import about_material
from nemuri_domain.tasks import conversation_history, panel_seats
from nemuri_domain.tasks.agent_fit import Fit, blended
from nemuri_domain.tasks.agent_scores import AgentKnowledge, Applicant, Market, Ranking, margin, market, ranked
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.eligible_agents import able_agents, competing, is_one_field, no_panel, nobody
from nemuri_domain.tasks.panel_seats import Seat
from nemuri_domain.tasks.task_attempts import attempt_key
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS

REQUEST: Final = 0.7
"""Weight of the request in the fit of a task. The summary with its key points has the rest."""
CLOSE: Final = 0.6
"""Confidence below which the light model is asked."""
OFFERED: Final = 8
"""Maximum number of agents that the light model or the client is offered, best first."""
FEWEST_VOICES: Final = 2
"""Minimum number of panel members."""


@dataclass(frozen=True, slots=True)
class RoutingAdvice:
    """The choice of a light model between agents."""

    agent_id: str | None
    """Id of the agent; None if nobody fits."""
    confidence: float
    """Confidence of the model in its choice, 0 to 1."""
    usage: Usage


@dataclass(frozen=True, slots=True)
class Evidence:
    """The texts and precedents with which routing compares a task."""

    fits: Mapping[str, Fit]
    """Fit of each text in `compared_texts`, by text."""
    sharpness: float = 1.0
    """Factor on the scores before they become probabilities."""
    advice: RoutingAdvice | None = None
    """Choice of the light model; None if it was not asked."""


NO_EVIDENCE: Final = Evidence({})


def compared_texts(task: Task, applicants: Sequence[Applicant]) -> tuple[str, ...]:
    """Return the texts whose fit decides; none if only one agent can get the task."""
    if len(competing(able_agents(task, applicants), task)) <= 1:
        return ()
    parts = [_cut(part.text) for part in task.parts] if len(task.parts) > 1 else []
    return tuple(dict.fromkeys((request_of(task), _summary(task), *parts)))


def close_call(task: Task, applicants: Sequence[Applicant], evidence: Evidence) -> tuple[str, ...]:
    """Return the agents between which a light model should choose; none for a clear fit, several parts, or a panel."""
    field = competing(able_agents(task, applicants), task)
    if not evidence.fits or len(task.parts) > 1 or task.panel is not None or is_one_field(field):
        return ()
    ranking = _whole(task, market(field, applicants), evidence)
    if not ranking.outside and (ranking.confidence or 0.0) >= CLOSE:
        return ()
    return tuple(score.agent_id for score in sorted(ranking.scores, key=lambda score: -score.total)[:OFFERED])


def route(
    cause: Event, task: Task, applicants: Sequence[Applicant], evidence: Evidence = NO_EVIDENCE
) -> TaskRouted | NegotiationOpened | TaskFailed:
    """Return the routing of a task: the agents for each part.

    Return `NegotiationOpened` if the task fits no agent and the operator named no generalist: the client chooses.
    Return `TaskFailed` if no agent is eligible, or too few for a panel.

    Each part goes to the agent that fits it best. All parts of a panel go to the same members. The recorded scores are
    for the whole task.
    """
    able = able_agents(task, applicants)
    if not able:
        return fail(cause, task, nobody(task))
    of = market(competing(able, task), applicants)
    ranking = _whole(task, of, evidence)
    if task.panel is not None:
        members = _members(task, able, ranking)
        if len(members) < FEWEST_VOICES:
            return fail(cause, task, no_panel(able))
        choices = tuple(_choice(seat, number) for number in range(len(task.parts)) for seat in members)
        return _routed(cause, task, choices, ranking, evidence, "fit")
    if _nobody_fits(ranking, evidence.advice):
        generalist = next((applicant for applicant in able if applicant.definition.generalist), None)
        if generalist is None:
            return _asked(cause, task, of, ranking, evidence)
        everything = tuple(_choice(_seat(task, generalist, part.text), n) for n, part in enumerate(task.parts))
        return _routed(cause, task, everything, ranking, evidence, "generalist")
    choices, decided_by = _best(task, of, ranking, evidence), _decided_by(task, ranking, evidence)
    return _routed(cause, task, choices, ranking, evidence, decided_by)


def asked_early(
    cause: Event, task: Task, applicants: Sequence[Applicant], evidence: Evidence
) -> NegotiationOpened | None:
    """Return the question to the client which agent should do a task, before its documents are read.

    None if the request fits some agent, if there is a generalist, if the client has chosen already, or if only the
    documents can tell: the request says nothing but what to do with them, or it continues a conversation.
    """
    able, decided = able_agents(task, applicants), task.wanted_agent or task.panel or task.items
    if decided or conversation_history.continues(task) or about_material(task.text) or not able:
        return None
    if any(applicant.definition.generalist for applicant in able):
        return None
    of = market(able, applicants)
    ranking = _whole(task, of, evidence)
    return _asked(cause, task, of, ranking, evidence) if _nobody_fits(ranking, evidence.advice) else None


def assignments(routed: TaskRouted) -> tuple[TaskAssigned, ...]:
    """Return one assignment for each choice of a routing."""
    return tuple(
        TaskAssigned.following(
            routed,
            nth=nth,
            agent_id=choice.agent_id,
            part=choice.part,
            perspective=choice.perspective,
            attempt=routed.attempt,
        )
        for nth, choice in enumerate(routed.choices)
    )


def fail(cause: Event, task: Task, reason: str) -> TaskFailed:
    """Return the event that ends the current attempt without an answer."""
    key = attempt_key(task.task_id, task.attempt)
    return TaskFailed.following(cause, key=key, correlation_id=task.task_id, attempt=task.attempt, reason=reason)


def _routed(
    cause: Event,
    task: Task,
    choices: tuple[Choice, ...],
    ranking: Ranking,
    evidence: Evidence,
    decided_by: DecidedBy,
) -> TaskRouted:
    chosen = {choice.agent_id for choice in choices}
    fit = evidence.fits.get(request_of(task))
    near = dict.fromkeys(memory for name in sorted(chosen) for memory in (fit.nearest.get(name, ()) if fit else ()))
    advice = evidence.advice if decided_by == "model" else None
    return TaskRouted.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        correlation_id=task.task_id,
        attempt=task.attempt,
        choices=choices,
        scores=ranking.scores,
        request=task.request,
        recalled=tuple(near),
        confidence=advice.confidence if advice else ranking.confidence,
        decided_by=decided_by,
        usage=evidence.advice.usage if evidence.advice else None,
    )


def _asked(cause: Event, task: Task, of: Market, ranking: Ranking, evidence: Evidence) -> NegotiationOpened:
    """Return the question to the client which agent should do the task. The best agents are offered, best first."""
    by_id = {applicant.agent_id: applicant for applicant in of.able}
    best = sorted(ranking.scores, key=lambda score: -score.total)[:OFFERED]
    options = tuple(
        Option(
            name=f"{AGENT_OPTION}{score.agent_id}",
            description=f"{score.agent_id}: {by_id[score.agent_id].definition.role}",
        )
        for score in best
    )
    return NegotiationOpened.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        correlation_id=task.task_id,
        options=options,
        reason="no agent's field fits this task: choose the agent that should do it",
        scores=ranking.scores,
        confidence=ranking.confidence,
        usage=evidence.advice.usage if evidence.advice else None,
    )


def _nobody_fits(ranking: Ranking, advice: RoutingAdvice | None) -> bool:
    return advice.agent_id is None if advice else ranking.outside


def _decided_by(task: Task, ranking: Ranking, evidence: Evidence) -> DecidedBy:
    if task.wanted_agent is not None or len(ranking.scores) == 1:
        return "request"
    if evidence.advice is not None:
        return "model"
    return "load" if ranking.by_load or not evidence.fits else "fit"


def _best(task: Task, of: Market, whole: Ranking, evidence: Evidence) -> tuple[Choice, ...]:
    """Return the choice of the best agent for each part.

    Parts that an agent already got in this routing count as its load, so equally good agents share the parts.
    """
    given = Counter[str]()
    choices: list[Choice] = []
    by_id = {applicant.agent_id: applicant for applicant in of.able}
    for number, part in enumerate(task.parts):
        text = _cut(part.text)
        if len(task.parts) == 1:
            best = whole.scores[0].agent_id
        else:
            known = AgentKnowledge.of(of, text)
            best = ranked(of, known, evidence.fits.get(text), evidence.sharpness, given).scores[0].agent_id
        if evidence.advice is not None and evidence.advice.agent_id is not None:
            best = evidence.advice.agent_id
        choices.append(
            _choice(_seat(task, by_id[best], part.text if len(task.parts) > 1 else request_of(task)), number)
        )
        given[best] += 1
    return tuple(choices)


def _whole(task: Task, of: Market, evidence: Evidence) -> Ranking:
    """Return the ranking for the whole task. It is familiar if its request or its summary is."""
    told = [(text, evidence.fits[text]) for text in (request_of(task), _summary(task)) if text in evidence.fits]
    fit = blended(told[0][1], told[-1][1], REQUEST) if told else None
    one_field = not told or is_one_field(of.able)
    known = {
        text: AgentKnowledge.of(of, text) for text in dict.fromkeys((request_of(task), *(text for text, _ in told)))
    }
    above = None if one_field else max(margin(of, known[text], name) for text, name in told)
    return ranked(of, known[request_of(task)], fit, evidence.sharpness, {}, above)


def _seat(task: Task, applicant: Applicant, text: str) -> Seat:
    perspective = task.wanted_perspective or panel_seats.fitting(applicant.definition, text, applicant.perspectives)
    return applicant.agent_id, perspective


def _members(task: Task, able: Sequence[Applicant], ranking: Ranking) -> tuple[Seat, ...]:
    """Return the members of the panel that the task asks for."""
    by_id = {applicant.agent_id: applicant for applicant in able}
    known = [by_id[score.agent_id] for score in ranking.scores]
    return panel_seats.panel(known, request_of(task), task.panel or 0, task.wanted_perspective)


def _choice(seat: Seat, part: int) -> Choice:
    agent, perspective = seat
    return Choice(agent_id=agent, part=part, perspective=perspective)


def request_of(task: Task) -> str:
    """Return the request, at most `SUMMARY_TOKENS` tokens of it.

    The orchestrator reads only the summary (document 000 §3.9), which begins with the task's own text. If the client
    supplied a summary, it comes first, followed by as much of the request as fits.
    """
    text = task.request or "\n".join(part.text for part in task.parts) or task.text
    return _cut("\n".join(filter(None, (task.supplied_summary, text))))


def _summary(task: Task) -> str:
    return _cut(task.summary or task.text)


def _cut(text: str) -> str:
    return token_estimate.truncate(text, SUMMARY_TOKENS)
