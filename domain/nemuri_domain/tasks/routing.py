"""Routing: choice of agents for each part of a task by expertise, past outcomes and load (document 000 §3.1).

Routing reads at most `SUMMARY_TOKENS` tokens of a task or of one part.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from nemuri_contracts.agents import Definition
from nemuri_contracts.error_messages import LISTED, no_agent
from nemuri_contracts.event import Event
from nemuri_contracts.tasks import AgentScore, Choice, Part, TaskAssigned, TaskFailed, TaskRouted
from nemuri_domain.language import token_estimate
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks import panel_seats
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.fan_in import attempt_key
from nemuri_domain.tasks.panel_seats import Seat
from nemuri_domain.tasks.precedents import Precedent, history, influencing_memories
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS

EXPERTISE, HISTORY, LOAD = 0.6, 0.25, 0.15
"""Weights of an agent's expertise, history and load in its total score. Each is a perspective of the orchestrator."""
REQUEST, SUMMARY = 0.7, 0.3
"""Weights of the request and of the task's summary (with its key points) in an agent's expertise."""
HALF = 0.25
"""Strength of the memories about a word at which an agent's knowledge of it is 0.5. A fresh memory of strength 1 gives
0.8.
"""

FEWEST_VOICES = 2
"""Minimum number of panel members."""
_NOTHING: Final[Mapping[str, int]] = {}


@dataclass(frozen=True, slots=True)
class Applicant:
    """An agent that may be chosen, with the data for its scores."""

    agent_id: str
    definition: Definition
    topics: tuple[Topic, ...]
    """Topics of the agent's memories."""
    succeeded: int
    """Number of past assignments that clients called helpful or a success."""
    failed: int
    """Number of past assignments that clients called unhelpful or a failure."""
    waiting: int
    """Number of assignments that the agent has not answered yet."""


def route(
    cause: Event, task: Task, applicants: Sequence[Applicant], precedents: Sequence[Precedent] = ()
) -> TaskRouted | TaskFailed:
    """Return the routing of a task: the agents for each part. Return `TaskFailed` if no agent is eligible, or too few
    for a panel.

    Each part goes to the agent with the best score for this part. If the client asked for a panel, all parts go to the
    same members. The recorded scores are for the whole task. `precedents` are similar past tasks; they say more about
    an agent than its overall success rate.
    """
    able = [each for each in applicants if _suits(each, task)]
    if not able:
        return fail(cause, task, _nobody(task))
    market = _market(task, able, applicants, precedents)
    request = _read(task)
    scores = _scores(market, request)
    if task.panel is None:
        choices = _best(task, market)
    else:
        members = _members(task, _ranked(able, scores), request)
        if len(members) < FEWEST_VOICES:
            return fail(cause, task, _no_panel(able))
        choices = tuple(_choice(seat, number) for number in range(len(task.parts)) for seat in members)
    return TaskRouted.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        correlation_id=task.task_id,
        attempt=task.attempt,
        choices=choices,
        scores=scores,
        request=task.request,
        recalled=influencing_memories((each.agent_id for each in choices), precedents),
    )


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


def _read(task: Task, part: Part | None = None) -> Sequence[str]:
    """Return the terms of the request, or of one `part`, from at most `SUMMARY_TOKENS` tokens of text.

    The orchestrator reads only the summary (document 000 §3.9), which begins with the task's own text. If the client
    supplied a summary, it comes first, followed by as much of the request as fits.
    """
    if part is not None:
        return terms(token_estimate.truncate(part.text, SUMMARY_TOKENS))
    text = task.request or "\n".join(each.text for each in task.parts) or task.text
    return terms(token_estimate.truncate("\n".join(filter(None, (task.supplied_summary, text))), SUMMARY_TOKENS))


def _best(task: Task, market: "_Market") -> tuple[Choice, ...]:
    """Return the choice of the best agent for each part.

    Parts that an agent already got in this routing count as its load, so equally good agents share the parts.
    """
    given = Counter[str]()
    choices: list[Choice] = []
    for number, part in enumerate(task.parts):
        request = _read(task, part if len(task.parts) > 1 else None)
        best = _ranked(market.able, _scores(market, request, given))[0]
        perspective = task.wanted_perspective or panel_seats.fitting(best.definition, request)
        choices.append(_choice((best.agent_id, perspective), number))
        given[best.agent_id] += 1
    return tuple(choices)


def _members(task: Task, ranked: Sequence[Applicant], request: Sequence[str]) -> tuple[Seat, ...]:
    """Return the members of the panel that the task asks for. `ranked` has the best agent first."""
    known = [(each.agent_id, each.definition) for each in ranked]
    return panel_seats.panel(known, request, task.panel or 0, task.wanted_perspective)


def _choice(seat: Seat, part: int) -> Choice:
    agent, perspective = seat
    return Choice(agent_id=agent, part=part, perspective=perspective)


def _ranked(able: Sequence[Applicant], scores: Sequence[AgentScore]) -> list[Applicant]:
    by_id = {each.agent_id: each for each in able}
    return [by_id[each.agent_id] for each in scores]


def _no_panel(able: Sequence[Applicant]) -> str:
    who = ", ".join(each.agent_id for each in able)
    return f"a panel needs two seats, and there is only one here: agent {who} with a single perspective"


def _suits(applicant: Applicant, task: Task) -> bool:
    """Return True if the agent is the wanted one and has the wanted perspective. A task may leave both open."""
    named = task.wanted_agent in {None, applicant.agent_id}
    return named and task.wanted_perspective in {None, *applicant.definition.perspective_names}


def _nobody(task: Task) -> str:
    if task.wanted_perspective:
        who = f"agent {task.wanted_agent!r}" if task.wanted_agent else "any agent"
        return f"there is no perspective {task.wanted_perspective!r} of {who}; {LISTED}"
    if task.wanted_agent:
        return no_agent(task.wanted_agent)
    return "no agent is defined yet; define one with `nemuri agent add FILE.yaml`"


@dataclass(frozen=True, slots=True)
class _Market:
    """Data shared by all scores of one routing: the agents, their knowledge of words, and the task's summary."""

    able: Sequence[Applicant]
    applicants: Sequence[Applicant]
    """All agents, eligible or not. The rarity of words and the maximum load are measured over all of them."""
    precedents: Sequence[Precedent]
    known: Mapping[str, Mapping[str, float]]
    rarity: Mapping[str, float]
    summed: Mapping[str, float]
    """Knowledge of the summary's words by eligible agent, 0 to 1."""


def _market(
    task: Task, able: Sequence[Applicant], applicants: Sequence[Applicant], precedents: Sequence[Precedent]
) -> _Market:
    known = {each.agent_id: _known_words(each) for each in applicants}
    rarity = _rarity(known.values())
    summary = terms(token_estimate.truncate(task.summary or task.text, SUMMARY_TOKENS))
    summed = {each.agent_id: _overlap(summary, known[each.agent_id], rarity) for each in able}
    return _Market(able, applicants, precedents, known, rarity, summed)


def _scores(market: _Market, request: Sequence[str], given: Mapping[str, int] = _NOTHING) -> tuple[AgentScore, ...]:
    """Return the scores of the eligible agents for a request, best first.

    `given` is the number of parts that each agent already got in this routing. These parts count as waiting
    assignments.
    """
    waiting = {each.agent_id: each.waiting + given.get(each.agent_id, 0) for each in market.applicants}
    busiest = max(waiting.values())
    scores: list[AgentScore] = []
    for each in market.able:
        asked = _overlap(request, market.known[each.agent_id], market.rarity)
        expertise = REQUEST * asked + SUMMARY * market.summed[each.agent_id]
        load = 1.0 - waiting[each.agent_id] / busiest if busiest else 1.0
        scores.append(_score(each, expertise, market.precedents, load))
    return tuple(sorted(scores, key=lambda each: (-each.total, each.agent_id)))


def _score(applicant: Applicant, expertise: float, precedents: Sequence[Precedent], load: float) -> AgentScore:
    overall = (applicant.succeeded + 1) / (applicant.succeeded + applicant.failed + 2)
    past = history(applicant.agent_id, overall, precedents)
    total = EXPERTISE * expertise + HISTORY * past + LOAD * load
    return AgentScore(agent_id=applicant.agent_id, expertise=expertise, history=past, load=load, total=total)


def _rarity(known: Collection[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the rarity of each known word: log(1 + agents / agents that know it). It is high if few agents know the
    word.
    """
    knowing = Counter(word for words in known for word in words)
    return {word: log(1 + len(known) / count) for word, count in knowing.items()}


def _known_words(applicant: Applicant) -> Mapping[str, float]:
    """Return an agent's knowledge of words, 0 to 1, by word. It grows with the strength of the memories about the word.

    The words of its definition count like one fresh memory. Knowledge is 0.5 at strength `HALF`.
    """
    definition = applicant.definition
    declared = [definition.role, definition.description]
    for perspective in definition.perspectives:
        declared += [perspective.name, *perspective.keywords]
    strength = dict.fromkeys(terms("\n".join(declared)), 1.0)
    for topic in applicant.topics:
        for word in set(terms(topic.name)):
            strength[word] = strength.get(word, 0.0) + topic.strength
    return {word: total / (HALF + total) for word, total in strength.items()}


def _overlap(words: Sequence[str], known: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """Return the agent's mean knowledge of the words, 0 to 1, weighted by the count and rarity of each word.

    Words that no agent knows are ignored.
    """
    counts = Counter(words)
    weights = {word: count * rarity[word] for word, count in counts.items() if word in rarity}
    total = sum(weights.values())
    return sum(weight * known.get(word, 0.0) for word, weight in weights.items()) / total if total else 0.0
