"""Tests of routing, which chooses agents by expertise, past outcomes and load (document 000 §3.1)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import NegotiationOpened, Part, TaskFailed, TaskRouted
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks import routing
from nemuri_domain.tasks.agent_fit import CALIBRATION, FitModel, Judged, features, texts_of
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.routing import NO_EVIDENCE, Evidence, RoutingAdvice
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from tests.unit.domain.tasks.stories import failed, given, reopened, submitted, summarised

COST = Perspective(name="cost", keywords=("price", "budget"))
TIME = Perspective(name="time", keywords=("delay", "deadline"))


def test_the_agent_with_the_expertise_works_on_the_task() -> None:
    """The agent with the expertise is chosen. Its role, description, perspectives and topics of memories are compared
    with the task.
    """
    buyer = _agent("buyer", role="Buyer of steel")
    cook = _agent("cook", role="Cook", description="Soups and sauces")
    nurse = _agent("nurse", role="Nurse", tags=("fever", "bandage"))

    assert _chosen("What does steel cost?", buyer, cook, nurse) == "buyer"
    assert _chosen("Which soup is good today?", buyer, cook, nurse) == "cook"
    assert _chosen("He has a fever again", buyer, cook, nurse) == "nurse"


def test_strong_memories_count_more_than_fading_ones() -> None:
    """Topics of strong memories count more than topics of fading ones, and a definition needs no memories."""
    note = replace(_agent("a"), topics=(Topic("steel", 0.05, 1),))
    settled = replace(_agent("c"), topics=(Topic("steel", 8.0, 9),))

    assert _chosen("What does steel cost?", note, settled) == "c"
    assert _chosen("What does steel cost?", _agent("b", description="cakes"), settled) == "c"
    assert _chosen("What does steel cost?", note, _agent("b", description="steel")) == "b"


def test_the_request_counts_more_than_the_documents() -> None:
    """Words of the request count more than the rest of the summary, which also has the key points of all documents."""
    buyer, cook = _agent("buyer", role="steel price"), _agent("cook", role="soup sauce")
    task = given(submitted("soup?"), summarised("soup?")).task.replace(summary="soup? steel price sand steel")

    assert _route(task, buyer, cook).choices[0].agent_id == "cook"


def test_of_equal_agents_the_more_helpful_one_works() -> None:
    """Of agents with equal fit and load the more helpful one is chosen. A new agent counts as half helpful."""
    good, new, poor = _agent("c", succeeded=3), _agent("b"), _agent("a", failed=3)

    routed = _route(_task("Anything?"), good, new, poor)

    assert [(score.agent_id, score.history) for score in routed.scores] == [("c", 0.8), ("b", 0.5), ("a", 0.2)]
    assert (routed.decided_by, routed.confidence) == ("load", None)


def test_load_decides_between_agents_that_fit_equally() -> None:
    """Of agents that fit equally well the idle one is chosen, even if another one is first by name."""
    busy, idle = _agent("a", role="Buyer of steel", waiting=3), _agent("b", role="Buyer of steel")
    cook = _agent("c", role="Cook of soup")

    routed = _route(_task("What does steel cost?"), busy, idle, cook)

    assert [score.agent_id for score in routed.scores] == ["b", "a", "c"]
    assert _chosen("Which soup?", busy, idle, replace(cook, waiting=9)) == "c", "load never outweighs a clear fit"


def test_a_word_that_tells_nothing_attracts_no_task() -> None:
    """Particles and auxiliaries of a definition attract no task: a role with する does not attract 「どうする？」."""
    doing = _agent("a", role="検査する担当", description="部品を検査する。測定する。")
    cook = _agent("b", role="料理人", description="味噌汁とだし。")

    assert _chosen("味噌汁のだしはどうする？", doing, cook) == "b"
    assert isinstance(_decided("それはどうするのですか。", doing, cook), NegotiationOpened)


def test_a_task_that_fits_nobody_is_asked_about() -> None:
    """If no agent fits, the client is asked. The options name the agents, and nobody gets the task."""
    agents = [_agent("buyer", role="Buyer of steel"), _agent("cook", role="Cook", description="Soups and sauces")]

    asked = _decided("Why do dinosaurs no longer exist?", *agents)

    assert isinstance(asked, NegotiationOpened)
    assert {option.name for option in asked.options} == {"agent:buyer", "agent:cook"}
    assert asked.reason is not None
    assert "\n" not in asked.reason
    assert asked.confidence is not None
    assert asked.confidence < 0.5
    assert {score.agent_id for score in asked.scores} == {"buyer", "cook"}


def test_the_generalist_takes_what_fits_nobody() -> None:
    """The operator's generalist takes a task that fits nobody else, and no other task."""
    buyer, cook = _agent("buyer", role="Buyer of steel"), _agent("cook", role="Cook", description="Soups and sauces")
    anyone = _agent("anyone", role="Generalist for steel and soups")
    anyone = replace(anyone, definition=anyone.definition.model_copy(update={"generalist": True}))

    other = _route(_task("Why do dinosaurs no longer exist?"), buyer, cook, anyone)

    assert (other.choices[0].agent_id, other.decided_by) == ("anyone", "generalist")
    assert _chosen("Which soups are good?", buyer, cook, anyone) == "cook"
    assert _chosen("Why do dinosaurs no longer exist?", anyone, replace(cook, definition=anyone.definition)) != ""


def test_a_judged_task_teaches() -> None:
    """Good verdicts bring similar tasks to an agent, and bad ones take them away, although no definition says so."""
    buyer, cook = _agent("buyer", role="Buyer of steel"), _agent("cook", role="Cook", description="Soups and sauces")
    dinosaurs = "Why do dinosaurs no longer exist?"

    routed = _route(_task("Did dinosaurs exist for long?"), buyer, cook, judged=[_judged(dinosaurs, cook=(2, 0))])

    assert (routed.choices[0].agent_id, routed.decided_by) == ("cook", "fit")
    assert len(routed.recalled) == 1
    bad = [_judged("Which soup is good today?", cook=(0, 3), buyer=(2, 0))]
    assert _chosen("Which soup is good?", buyer, cook) == "cook"
    assert _chosen("Which soup is good?", buyer, cook, judged=bad) == "buyer"


def test_a_light_model_decides_a_close_call() -> None:
    """A light model is offered the agents if the fit is not clear. It decides, and may say that nobody fits."""
    buyer, cook = _agent("buyer", role="Buyer of steel"), _agent("cook", role="Cook", description="Soups and sauces")
    task = _task("Which gloves are needed?")
    evidence = _evidence(task, (buyer, cook))

    assert set(routing.close_call(task, [buyer, cook], evidence)) == {"buyer", "cook"}
    told = RoutingAdvice("cook", 0.9, Usage(model="light"))
    routed = routing.route(submitted(), task, [buyer, cook], replace(evidence, advice=told))
    nobody = routing.route(submitted(), task, [buyer, cook], replace(evidence, advice=replace(told, agent_id=None)))

    assert isinstance(routed, TaskRouted)
    assert (routed.choices[0].agent_id, routed.decided_by, routed.confidence) == ("cook", "model", 0.9)
    assert isinstance(nobody, NegotiationOpened)
    assert nobody.usage == routed.usage == told.usage
    clear = _task("soups and sauces")
    assert routing.close_call(clear, [buyer, cook], _evidence(clear, (buyer, cook))) == ()
    assert routing.close_call(clear, [cook], _evidence(clear, (cook,))) == ()


def test_of_equal_agents_the_less_busy_one_works() -> None:
    """Of equal agents the less busy one is chosen. The load is relative to the busiest agent."""
    routed = _route(_task("Anything?"), _agent("a", waiting=4), _agent("b", waiting=1))

    assert [(score.agent_id, score.load) for score in routed.scores] == [("b", 0.75), ("a", 0.0)]


def test_a_requested_agent_works() -> None:
    """An agent that the client requests is chosen. Only this agent is scored, with its load relative to all agents."""
    task = given(submitted("steel?", agent="cook"), summarised("steel?")).task

    routed = _route(task, _agent("buyer", role="steel", waiting=2), _agent("cook", role="soup", waiting=1))

    assert [score.agent_id for score in routed.scores] == ["cook"]
    assert routed.scores[0].load == 0.5


def test_a_task_for_an_unknown_agent_fails() -> None:
    """A task for an unknown agent fails with a reason of one line that names the remedy."""
    task = given(submitted("?", agent="ghost"), summarised("?")).task

    end = routing.route(submitted(), task, [_agent("cook")])

    assert isinstance(end, TaskFailed)
    assert end.reason == "there is no agent 'ghost'; `nemuri agents` lists all agents"
    assert end.attempt == 1


def test_a_task_fails_without_any_agent() -> None:
    """If there is no agent, the task fails with a reason of one line."""
    end = routing.route(submitted(), _task("?"), [])

    assert isinstance(end, TaskFailed)
    assert "nemuri agent add" in end.reason
    assert "\n" not in end.reason


def test_the_perspective_that_is_nearest_in_meaning_is_chosen() -> None:
    """The perspective whose name and keywords are nearest to the task in meaning is chosen, also in other words and in
    Japanese. If none is near, there is none.
    """
    for text, perspective in [
        ("Is there a delay before the deadline?", "time"),
        ("Will it arrive late?", "time"),
        ("The budget, please", "cost"),
        ("Is it expensive?", "cost"),
        ("いくらですか", "cost"),
        ("xqzvwk", None),
        ("Good morning", None),
    ]:
        assert _route(_task(text), _agent("a")).choices[0].perspective == perspective


def test_a_requested_perspective_is_chosen() -> None:
    """A perspective that the client requests is chosen, whatever the words of the task are."""
    task = given(submitted("The budget?", perspective="time"), summarised("The budget?")).task

    assert _route(task, _agent("a")).choices[0].perspective == "time"


def test_the_same_routing_derives_the_same_assignments() -> None:
    """The same routing always gives assignments with the same ids, one for each part. Here all go to one agent."""
    task = given(submitted("?"), summarised("price", "delay")).task
    routed = _route(task, _agent("a"))

    first, again = routing.assignments(routed), routing.assignments(routed)

    assert first == again
    assert [(each.part, each.agent_id, each.attempt) for each in first] == [(0, "a", 1), (1, "a", 1)]
    assert len({event.event_id for event in first}) == 2


def test_each_part_goes_to_the_best_agent_for_it() -> None:
    """Each part goes to the best agent for it, under the perspective that the part's words match.

    The recorded scores are those of the whole task.
    """
    buyer, cook = _agent("buyer", role="steel"), _agent("cook", role="soup")
    task = given(submitted("all of it"), summarised("soup, its price", "steel and its deadline", "soup again")).task

    routed = _route(task, cook, buyer)

    assert [(choice.part, choice.agent_id, choice.perspective) for choice in routed.choices] == [
        (0, "cook", "cost"), (1, "buyer", "time"), (2, "cook", None),
    ]  # fmt: skip
    assert len(routed.scores) == 2
    assert routed.choices == _route(task, buyer, cook).choices


def test_equal_agents_share_the_parts() -> None:
    """Equal agents share the parts, because parts assigned in the same routing count as load."""
    task = given(submitted("?"), summarised(*"1234567")).task

    routed = _route(task, _agent("a", waiting=2), _agent("b"), _agent("c", waiting=1))

    shares = Counter({"a": 2, "c": 1}) + Counter(choice.agent_id for choice in routed.choices)
    assert sorted(shares.values()) == [3, 3, 4]
    assert [score.load for score in routed.scores] == [1.0, 0.5, 0.0]


def test_all_parts_go_to_a_requested_agent() -> None:
    """All parts go to the requested agent, even if other agents are better for some of them."""
    task = given(submitted("?", agent="cook"), summarised("steel", "soup")).task

    routed = _route(task, _agent("buyer", role="steel"), _agent("cook", role="soup"))

    assert [choice.agent_id for choice in routed.choices] == ["cook", "cook"]


def test_only_as_much_as_a_summary_is_read() -> None:
    """For the task and for each part, only as much text is read as fits the token limit of a summary."""
    buyer, cook = _agent("buyer", role="steel"), _agent("cook", role="soup")
    beginning, rest = "soup " + "so " * SUMMARY_TOKENS, "steel " * SUMMARY_TOKENS
    short, long = (given(submitted(text), summarised(text)).task for text in (beginning, beginning + rest))

    assert _route(long.replace(summary=short.summary), buyer, cook) == _route(short, buyer, cook)
    parts = given(submitted("?"), summarised(beginning + rest, "steel")).task
    assert [choice.agent_id for choice in _route(parts, buyer, cook).choices] == ["cook", "buyer"]


def test_a_supplied_summary_comes_first() -> None:
    """A supplied summary is read before the text of the task, of which only as much is read as the limit allows."""
    buyer, cook = _agent("buyer", role="steel"), _agent("cook", role="soup")
    text, summary = "See below. steel", "soup sauce soup"
    supplied = given(submitted(text, summary=summary), summarised(text)).task.replace(summary=summary)

    assert supplied.supplied_summary == summary
    assert _route(supplied, buyer, cook).choices[0].agent_id == "cook"
    filled = supplied.replace(supplied_summary="soup " * SUMMARY_TOKENS)
    assert _route(filled, buyer, cook) == _route(filled.replace(text="?", parts=(Part(text="?"),)), buyer, cook)


def test_another_attempt_has_another_routing_id() -> None:
    """The id of a routing is derived from the task and the attempt, not from the event that caused it."""
    story = given(submitted("?"), summarised("?"))
    again = story.when(failed(), reopened())

    one = routing.route(submitted(), story.task, [_agent("a")])
    same = routing.route(summarised("?"), story.task, [_agent("a")])
    other = routing.route(submitted(), again.task, [_agent("a")])

    assert one.event_id == same.event_id != other.event_id


@settings(deadline=None, max_examples=50)
@for_any(st.randoms(use_true_random=False), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40))
def test_routing_does_not_depend_on_the_order_of_the_agents(random: Any, text: str) -> None:
    """Routing does not depend on the order of the agents. Every score is between 0 and 1."""
    agents = [_agent(name, waiting=number % 2) for number, name in enumerate("abcdef")]
    task = _task(text or "?")
    expected = _route(task, *agents)
    random.shuffle(agents)

    routed = _route(task, *agents)

    assert routed == expected
    assert {score.agent_id for score in routed.scores[:3]} == set("ace")
    for score in routed.scores:
        assert all(0 <= value <= 1 for value in (score.expertise, score.history, score.load, score.total))


def _task(text: str) -> Task:
    """Return a task whose summary says nothing else than its text."""
    return given(submitted(text), summarised(text)).task.replace(summary=text)


def _judged(text: str, **outcomes: tuple[int, int]) -> Judged:
    return Judged(uuid4(), text, outcomes)


def _evidence(task: Task, applicants: Sequence[Applicant], judged: Sequence[Judged] = ()) -> Evidence:
    """Return the fit with the built-in embedder."""
    texts = routing.compared_texts(task, applicants)
    if not texts:
        return NO_EVIDENCE
    definitions, rows = {applicant.agent_id: applicant.definition for applicant in applicants}, BuiltInEmbedder().rows
    known = texts_of(definitions, judged)
    model = FitModel(definitions, judged, dict(zip(known, rows(known), strict=True)), CALIBRATION)
    return Evidence({text: model.fit(features(text, rows([text])[0])) for text in texts}, CALIBRATION.sharpness)


def _decided(
    text: str, *applicants: Applicant, judged: Sequence[Judged] = ()
) -> TaskRouted | NegotiationOpened | TaskFailed:
    task = _task(text)
    return routing.route(submitted(), task, applicants, _evidence(task, applicants, judged))


def _route(task: Task, *applicants: Applicant, judged: Sequence[Judged] = ()) -> TaskRouted:
    routed = routing.route(submitted(), task, applicants, _evidence(task, applicants, judged))
    assert isinstance(routed, TaskRouted)
    return routed


def _chosen(text: str, *applicants: Applicant, judged: Sequence[Judged] = ()) -> str:
    return _route(_task(text), *applicants, judged=judged).choices[0].agent_id


def _agent(
    name: str, *, role: str = "clerk", description: str = "", tags: tuple[str, ...] = (), **known: int
) -> Applicant:
    definition = Definition(role=role, description=description, perspectives=(COST, TIME))
    good, bad, waiting = (known.get(each, 0) for each in ("succeeded", "failed", "waiting"))
    return Applicant(name, definition, tuple(Topic(tag, 1.0, 1) for tag in tags), good, bad, waiting)
