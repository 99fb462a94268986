"""Who may be consulted, and how a consultation ends."""

from uuid import UUID, uuid4

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.event import Usage, derive
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_contracts.tasks import ReactionFailed, TaskAnswered, TaskAssigned
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks import consultations
from nemuri_domain.tasks.agent_fit import CALIBRATION, FitModel, features, texts_of
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent, evolve
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from tests.unit.domain.strength.stories import BEGINNING

TASK, ASKER, COLLEAGUE = uuid4(), uuid4(), uuid4()
SPENT = Usage(model="m", input_tokens=10, output_tokens=1)


def expert(name: str, *topics: str, role: str = "") -> Applicant:
    """Return an agent with these topics."""
    definition = Definition(role=role or name, perspectives=(Perspective(name="all"),))
    return Applicant(name, definition, tuple(Topic(topic, 1.0, 1) for topic in topics), 0, 0, 0)


def colleagues(question: str, *others: Applicant) -> list[str]:
    """Return the colleagues that a fitter may ask, with the built-in embedder."""
    agents, rows = [expert("fitter"), *others], BuiltInEmbedder().rows
    definitions = {agent.agent_id: agent.definition for agent in agents}
    known = texts_of(definitions, ())
    model = FitModel(definitions, (), dict(zip(known, rows(known), strict=True)), CALIBRATION)
    fit = model.fit(features(question, rows([question])[0]))
    return [colleague.agent_id for colleague in consultations.colleagues(question, "fitter", agents, fit)]


def state(*events: LifeEvent) -> TaskState:
    """Return the state of a task after these events, recorded one after the other."""
    found = TaskState()
    for number, each in enumerate(events, 1):
        found = evolve(found, each.model_copy(update={"sequence": number, "recorded_at": BEGINNING}))
    return found


def submitted() -> TaskSubmitted:
    """Return the event that begins the task."""
    return TaskSubmitted(event_id=TASK, text="Which torque?", client_id="ann")


def assigned(assignment_id: UUID = ASKER, **fields: object) -> TaskAssigned:
    """Return the event of an assignment."""
    given = {"event_id": assignment_id, "correlation_id": TASK, "agent_id": "fitter", "part": 0, "perspective": None}
    return TaskAssigned.model_validate(given | {"attempt": 1} | fields)


def stepped(number: int = 1, **fields: object) -> AssignmentStepped:
    """Return the event of a step that asks a colleague."""
    given = {"event_id": derive(ASKER, "step", number), "correlation_id": TASK, "agent_id": "fitter"}
    step = {"assignment_id": ASKER, "number": number, "tool": "consult", "query": "Which gasket?", "usage": SPENT}
    return AssignmentStepped.model_validate(given | step | {"colleague": "sealer"} | fields)


def consulted() -> TaskAssigned:
    """Return the assignment of the colleague."""
    return assigned(COLLEAGUE, agent_id="sealer", consulted_by=ASKER, question="Which gasket?")


def answered(assignment_id: UUID, text: str) -> TaskAnswered:
    """Return the answer of an assignment."""
    return TaskAnswered(
        event_id=uuid4(), correlation_id=TASK, agent_id="sealer", assignment_id=assignment_id, text=text,
        citations=(), details=(), usage=SPENT,
    )  # fmt: skip


def test_colleagues_are_those_whose_contents_have_the_topic() -> None:
    """A topic that most agents have points to nobody. Rarer topics count more, and at most three are offered."""
    crowd = [expert(f"a{number}", "pump", f"topic{number}") for number in range(4)]
    sealer = expert("sealer", "pump", "gasket")
    assert colleagues("Which gasket does the pump need?", *crowd, sealer) == ["sealer"]
    assert colleagues("How is the pump?", *crowd, sealer) == []
    both = [expert("b1", "gasket"), expert("b2", "gasket", "rubber")]
    others = [expert(f"c{number}", "salad") for number in range(4)]
    assert colleagues("A gasket of rubber?", *both, *others) == ["b2", "b1"]
    assert (
        len(colleagues("A gasket of rubber?", *(expert(f"b{number}", "gasket") for number in range(4)), *others)) == 3
    )


def test_a_colleague_is_known_by_its_definition_too() -> None:
    """The role says what a colleague knows, in other words and in another language too. Nobody knows another field."""
    others = [expert("cook", role="Cook of soups and sauces"), expert("tax", role="Tax adviser for companies")]

    assert colleagues("How long does the broth simmer?", *others) == ["cook"]
    assert colleagues("税金はいつ払いますか", *others) == ["tax"]
    assert colleagues("Who painted the Mona Lisa?", *others) == []


def test_a_name_leads_to_the_colleague_who_alone_remembers_it() -> None:
    """A supplier that only one agent's memories know leads to this agent; an unknown one leads to nobody."""
    others = [expert("a", "Zorbatec"), expert("b", "Quillon"), expert("c", "Tremolux")]

    assert colleagues("Does Zorbatec deliver on Sundays?", *others) == ["a"]
    assert colleagues("Does Vexomil deliver on Sundays?", *others) == []


def test_a_consultation_is_no_part_of_the_task() -> None:
    """The task waits for its own assignments only. The question replaces the text of the part."""
    now = state(submitted(), assigned(), stepped(), consulted())
    assert [each.assignment_id for each in now.present] == [ASKER]
    assert [consultation.assignment_id for consultation in now.consultations] == [COLLEAGUE]
    assert now.question(now.assignments[COLLEAGUE]) == "Which gasket?"
    assert now.assignments[ASKER].steps[-1].waits


def test_a_colleagues_answer_goes_back_without_citations() -> None:
    """The answer ends the step that waits. Its labels mean other memories for the asking agent."""
    before = state(submitted(), assigned(), stepped(), consulted(), said := answered(COLLEAGUE, "Velvetine [m1]."))
    ended = consultations.ended(said, before, COLLEAGUE)
    assert ended is not None
    assert (ended.assignment_id, ended.agent_id, ended.answer) == (ASKER, "fitter", "Velvetine.")
    step = evolve(before, ended.model_copy(update={"sequence": 9, "recorded_at": BEGINNING})).assignments[ASKER].steps
    assert (step[-1].answer, step[-1].consultation, step[-1].waits) == ("Velvetine.", COLLEAGUE, False)
    assert consultations.ended(said, before, ASKER) is None, "an assignment of the task itself asks nobody"


def test_only_a_cited_colleague_contributes() -> None:
    """A colleague whose answer the task's answer cites contributes; one that is not cited does not."""
    other = uuid4()
    asked_again = assigned(other, agent_id="welder", consulted_by=ASKER, question="Which seam?")
    before: list[LifeEvent] = [
        submitted(), assigned(),
        stepped(), consulted(), answered(COLLEAGUE, "Velvetine."), _ended(COLLEAGUE, "Velvetine."),
        stepped(2, colleague="welder"), asked_again, answered(other, "None."), _ended(other, "None."),
    ]  # fmt: skip

    def contributes(text: str) -> list[UUID]:
        found = consultations.contributing(state(*before, answered(ASKER, text)))
        return [assignment.assignment_id for assignment in found]

    assert consultations.contributing(state(*before)) == ()
    assert contributes("It needs velvetine [c1].") == [COLLEAGUE]
    assert contributes("No seam [C2], but velvetine [m1, c1].") == [other, COLLEAGUE]
    assert contributes("It needs velvetine [c3].") == contributes("It needs velvetine.") == []


def _ended(consultation_id: UUID, answer: str) -> ConsultationEnded:
    return ConsultationEnded(
        event_id=uuid4(), correlation_id=TASK, agent_id="fitter", assignment_id=ASKER, consultation_id=consultation_id,
        answer=answer,
    )  # fmt: skip


def test_a_failed_consultation_ends_without_an_answer() -> None:
    """If the colleague's retrieval or answer is given up, the question ends. Another failure does not end it."""
    now = state(submitted(), assigned(), stepped(), consulted())
    for cause in (COLLEAGUE, derive(COLLEAGUE, MemoriesRetrieved.kind_of())):
        failed = ReactionFailed(
            event_id=uuid4(), correlation_id=TASK, causation_id=cause, service="specialist", cause_kind="task_assigned",
            attempt=1, error="x",
        )  # fmt: skip
        ended = consultations.given_up(failed, now)
        assert isinstance(ended, ConsultationEnded)
        assert ended.answer is None
    other = failed.model_copy(update={"causation_id": ASKER})
    assert consultations.given_up(other, now) is None


def test_a_missing_colleague_ends_the_question() -> None:
    """If the colleague does not exist any more, the step ends at once, without an answer."""
    now = state(submitted(), assigned(), stepped())
    ended = consultations.assigned(stepped(), now.assignments[ASKER], None, {})
    assert isinstance(ended, ConsultationEnded)
    assert ended.answer is None


def test_a_repeated_step_counts_once() -> None:
    """A step that is recorded twice, or out of turn, does not change the assignment again."""
    once = state(submitted(), assigned(), stepped(problem="known"))
    again = state(submitted(), assigned(), stepped(problem="known"), stepped(problem="known"), stepped(3))
    assert again.assignments == once.assignments
