"""The report of a society as one page: what its record shows."""

import re
from datetime import UTC, datetime
from typing import Any

from nemuri_society.contracts.residents import Budget
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.operations.html_report import render_report
from nemuri_society.operations.record_figures import AgentFigures, RecordFigures
from nemuri_society.operations.residents import generate_residents
from nemuri_society.stores.society_record import StoredEvent
from tests.unit.society.operations.host_reports import host_report

SOCIETY = Society(
    name="village", seed=1, agents=generate_residents("village", 3, 1), budget=Budget(tokens=2_000, money=1.5)
)
ADA, BOB, CYD = (agent.id for agent in SOCIETY.agents)
NAMES = {agent.id: agent.name for agent in SOCIETY.agents}


def page_of(*events: tuple[float, dict[str, Any]]) -> str:
    """Return the text of the page of a record with these events, without tags and with single blanks."""
    figures = RecordFigures({agent.id: AgentFigures() for agent in SOCIETY.agents})
    for second, values in events:
        figures.add(StoredEvent(values | {"second": second}, datetime(2026, 1, 1, tzinfo=UTC), 0, True))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", render_report(SOCIETY, figures, 0)))


def sample(second: float, host: str, paused: str = "", **use: TokenUse) -> tuple[float, dict[str, Any]]:
    """Return the figures of a host on record. `use` is the usage of agents by their ids."""
    spenders = {agent.replace("_", "-"): spent for agent, spent in use.items()}
    token_use = {"talking": {"openai:small": sum(use.values(), TokenUse())}} if use else {}
    figures = host_report(3, second, {}, host=host, paused=paused, token_use=token_use, top_spenders=spenders)
    return second, {"kind": "figures", "figures": figures.model_dump(mode="json")}


def test_a_used_budget_is_told_with_its_time_once_for_all_hosts() -> None:
    """The page says from when to when thinking was paused, and that it lasts if it does. A new run ends a pause."""
    why = "9 of 5 tokens are used"
    raised = page_of(sample(10, "a", why), sample(11, "b", why), sample(20, "a"), sample(21, "b"))
    assert raised.count("Thinking was paused") == 1
    assert f"Thinking was paused from second 10 to 21: {why}." in raised
    assert f"Thinking was paused from second 30 on: {why}." in page_of(sample(20, "a"), sample(30, "a", why))
    assert "The budget: 2,000 tokens and 1.5 of money." in raised


def test_tokens_and_money_are_told_by_module_and_by_agent() -> None:
    """The figures of all hosts are added up: each agent has a row, and one row has all."""
    page = page_of(
        sample(10, "a", village_0000=TokenUse(calls=2, input_tokens=1_000, output_tokens=200, money=0.25)),
        sample(10, "b", village_0001=TokenUse(calls=1, input_tokens=90, output_tokens=10, retries=1, money=0.05)),
    )
    assert "talking openai:small 3 1 1,090 210 433 0.3000" in page
    assert "all 3 1 1,090 210 433 0.3000" in page
    assert f"{NAMES[ADA]} 2 0 1,000 200 600 0.2500" in page
    assert f"{NAMES[BOB]} 1 1 90 10 100 0.0500" in page


def test_laws_answers_and_votes_are_told_once_with_those_whom_they_concern() -> None:
    """A law for all is one row, an answer stands with its question, and votes are counted by choice."""
    law = {"kind": "influence", "sort": "law", "text": "The tax is 9 %."}
    vote = {"kind": "vote", "matter": "the tax, percent", "options": ["9", "20"]}
    page = page_of(
        *((5.2, law | {"agent": agent}) for agent in (ADA, BOB, CYD)),
        (7, {"kind": "answer", "agent": ADA, "question": "Why?", "answer": "Because.", "by": "model"}),
        *((9.0, vote | {"agent": agent, "choice": choice}) for agent, choice in ((ADA, "9"), (BOB, "9"), (CYD, None))),
    )
    assert "5 law all The tax is 9 %." in page
    assert f"7 answer {NAMES[ADA]} “Why?” – “Because.”" in page
    assert "9 the tax, percent 2 for 9, 1 without a vote" in page


def test_the_last_silence_counts() -> None:
    """An agent that decides no more has been silent until the end of the record."""
    page = page_of(*((second, {"kind": "decision", "agent": ADA}) for second in (1, 3)), sample(93, "a"))
    assert f"{NAMES[ADA]} 2 2.0 90.0" in page


def test_feelings_are_told_over_time() -> None:
    """The chart has a curve of the agent whose liking changed, whatever the order in which hosts wrote."""
    felt = {"kind": "feeling", "towards": NAMES[BOB]}
    page = page_of(
        (1, felt | {"agent": ADA, "before": None, "sentiment": 5.0}),
        (4, felt | {"agent": ADA, "before": 5.0, "sentiment": 9.0}),
        (3, felt | {"agent": CYD, "before": None, "sentiment": 1.0}),
    )
    assert f"■ mean ■ {NAMES[BOB]}" in page
    assert f"{NAMES[BOB]} – – 5.0" in page
