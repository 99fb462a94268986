"""Tests of choosing the members of a panel and the perspective of each (document 000 §3.1)."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.tasks import TaskFailed, TaskRouted
from nemuri_domain.strength.perspective_memories import PerspectiveMemory
from nemuri_domain.tasks import panel_seats, routing
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.panel_seats import Seat
from tests.unit.domain.tasks.stories import given, submitted, summarised

NAMES = ("cost", "time", "risk")


def test_each_of_the_best_agents_has_another_perspective() -> None:
    """Each of the best agents gets another perspective. The best-matching perspective goes to the best agent that has
    it.
    """
    both, other = ("cost", "time"), ("time", "risk")

    assert _panel("What does it cost?", 2, a=both, b=both) == (("a", "cost"), ("b", "time"))
    assert _panel("risk", 3, a=both, b=other, c=NAMES) == (("a", "cost"), ("b", "risk"), ("c", "time"))
    assert _panel("", 2, a=("cost",), b=("cost",), c=("risk",)) == (("a", "cost"), ("c", "risk"))


def test_an_agent_yields_its_perspective_to_one_with_no_other() -> None:
    """An agent with several perspectives gives one up to an agent that has only that one, so that both become
    members.
    """
    assert _panel("cost", 2, a=("cost", "time"), b=("cost",)) == (("a", "time"), ("b", "cost"))


def test_with_too_few_agents_some_are_members_twice() -> None:
    """If there are too few agents, some are members twice, first under unused perspectives, then under those of other
    members.

    No agent has one perspective twice.
    """
    assert _panel("cost", 2, a=NAMES) == (("a", "cost"), ("a", "risk"))
    assert _panel("cost", 3, a=("cost", "time"), b=("cost", "time")) == (("a", "cost"), ("b", "time"), ("a", "time"))
    assert len(_panel("cost", 8, a=("cost", "time"), b=("cost", "time"))) == 4
    assert _panel("cost", 4, a=("cost",)) == (("a", "cost"),)


def test_under_a_requested_perspective_every_agent_is_a_member_once() -> None:
    """If the client requests a perspective, all members have it, and every agent is a member at most once."""
    assert _panel("cost", 3, "time", a=NAMES, b=NAMES) == (("a", "time"), ("b", "time"))


@for_any(
    st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from(NAMES), unique=True, min_size=1), max_size=6),
    st.integers(2, 8),
)
def test_no_seat_is_given_twice(offers: dict[str, list[str]], size: int) -> None:
    """No agent has the same perspective twice. The panel has the requested size, or the largest possible one."""
    found = _panel("cost of time", size, None, **{agent: tuple(names) for agent, names in offers.items()})
    possible = sum(len(names) for names in offers.values())

    assert len(set(found)) == len(found) == min(size, possible)
    assert all(perspective in offers[agent] for agent, perspective in found)


def test_a_panel_is_routed_for_every_part() -> None:
    """Each member of a panel is assigned each part of the task."""
    task = given(submitted("?", panel=2), summarised("cost", "time")).task

    routed = routing.route(submitted(), task, [_applicant("a"), _applicant("b")])

    assert isinstance(routed, TaskRouted)
    assert [(choice.part, choice.agent_id, choice.perspective) for choice in routed.choices] == [
        (0, "a", "cost"),
        (0, "b", "time"),
        (1, "a", "cost"),
        (1, "b", "time"),
    ]
    assert len({assignment.assignment_id for assignment in routing.assignments(routed)}) == 4


def test_a_panel_of_one_member_fails() -> None:
    """A panel that would have a single member fails with a reason of one line."""
    task = given(submitted("?", panel=3, perspective="cost"), summarised("?")).task

    end = routing.route(submitted(), task, [_applicant("a")])

    assert isinstance(end, TaskFailed)
    assert "two seats" in end.reason
    assert "\n" not in end.reason


def test_a_perspective_is_chosen_by_its_memories_too() -> None:
    """A request without a word of a name or keyword gets the perspective of the memory that it is about. Without
    memories, or about what several perspectives know alike, it gets none.
    """
    views = (Perspective(name="cost", keywords=("price",)), Perspective(name="time", keywords=("deadline",)))
    definition = Definition(role="buyer", perspectives=views)
    strike, discount = "Dockers at Busan strike every autumn.", "Hartmann grants three percent within ten days."
    known = {"cost": (PerspectiveMemory(discount, 1.0),), "time": (PerspectiveMemory(strike, 1.0),)}
    alike = {name: (PerspectiveMemory(strike, 0.5),) for name in ("cost", "time")}
    request = "Will the dockers in Busan strike again?"

    assert panel_seats.fitting(definition, request, {}) is None
    assert panel_seats.fitting(definition, request, known) == "time"
    assert panel_seats.fitting(definition, "Does Hartmann still grant three percent?", known) == "cost"
    assert panel_seats.fitting(definition, request, alike) is None
    assert panel_seats.fitting(definition, "Who plays the violin?", known) is None
    assert panel_seats.fitting(definition, "How high is the price?", {"time": known["time"]}) == "cost"


def test_members_of_a_panel_get_perspectives_by_their_memories() -> None:
    """The best agent of a panel gets the perspective whose memory the request is about."""
    known = {"time": (PerspectiveMemory("Dockers at Busan strike every autumn.", 1.0),)}
    ranked = [Applicant(name, _definition(("cost", "time")), (), 0, 0, 0, known) for name in ("a", "b")]

    assert panel_seats.panel(ranked, "Will the dockers in Busan strike again?", 2) == (("a", "time"), ("b", "cost"))


def _definition(names: tuple[str, ...]) -> Definition:
    return Definition(role="clerk", perspectives=tuple(Perspective(name=name) for name in names))


def _panel(request: str, size: int, wanted: str | None = None, **agents: tuple[str, ...]) -> tuple[Seat, ...]:
    ranked = [Applicant(name, _definition(names), (), 0, 0, 0) for name, names in agents.items()]
    return panel_seats.panel(ranked, request, size, wanted)


def _applicant(name: str) -> Applicant:
    return Applicant(name, _definition(("cost", "time")), (), 0, 0, 0)
