"""Tests of the fit of agents to a text, learned from definitions and judged tasks (document 000 §3.1)."""

from collections.abc import Mapping, Sequence
from statistics import mean
from uuid import uuid4

from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_domain.tasks.agent_fit import CALIBRATION, ROWS, Fit, FitModel, Judged, features, texts_of
from nemuri_domain.tasks.agent_scores import AgentKnowledge, Applicant, margin, market
from nemuri_domain.tasks.definition_phrases import PHRASES, phrases
from nemuri_infra.embeddings.built_in import BuiltInEmbedder

FIELDS = {
    "bank": "Accounts, lost cards and interest.",
    "kitchen": "Soups, sauces, recipes.",
    "garage": "Cars, tires, oil.",
}
ROWS_OF = BuiltInEmbedder().rows


def test_a_definition_is_compared_phrase_by_phrase() -> None:
    """A definition gives itself, its phrases in English and Japanese, and its perspectives."""
    told = Definition(
        role="経理担当", description="経費精算、請求書。", perspectives=(Perspective(name="cost", keywords=("price",)),)
    )

    assert phrases(told, 9) == ("経理担当. 経費精算、請求書。", "経理担当", "経費精算", "請求書", "cost price")
    assert phrases(told, 2) == ("経理担当. 経費精算、請求書。", "経理担当")
    assert "lost cards" in phrases(_definition("accounts, lost cards and interest"), 9)


def test_grammar_and_words_of_requests_have_no_weight() -> None:
    """Particles, auxiliaries, stop words and words of requests are no words of a text; a repeated word weighs more."""
    empty = ROWS_OF([""])[0]

    assert features("それはどうするのですか。教えてください。", empty).words == {}
    assert features("Could you please explain what it is?", empty).words == {}
    told = features("経費はどうする？ oil, oil and tires", empty).words
    assert told.keys() == {"経費", "oil", "tire"}
    assert told["oil"] > told["tire"]


def test_verdicts_raise_and_lower_the_score() -> None:
    """A good verdict on a similar task raises an agent's score, and a bad one lowers it."""
    text = "my dinosaur is ill"
    before = _fit(text)
    good, bad = (
        _fit(text, _judged("a dinosaur is ill", garage=(1, 0))),
        _fit(text, _judged("a dinosaur is ill", garage=(0, 1))),
    )

    assert good.scores["garage"] > before.scores["garage"] > bad.scores["garage"]
    assert max(good.scores, key=lambda name: good.scores[name]) == "garage"
    assert (good.verdicts["garage"][0] > 0, bad.verdicts["garage"][0]) == (True, 0.0)


def test_a_faded_verdict_counts_less() -> None:
    """The weight of a judged task scales its influence."""
    text, [past] = "my dinosaur is ill", _judged("a dinosaur is ill", garage=(1, 0))
    faded = Judged(past.memory_id, past.text, past.outcomes, 0.1)

    assert _fit(text, [past]).scores["garage"] > _fit(text, [faded]).scores["garage"] > _fit(text).scores["garage"]


def test_experience_makes_a_text_familiar() -> None:
    """A text is much more familiar after a similar task was judged, and then inside a field."""
    text = "my dinosaur is ill"

    known = _fit(text, _judged("a dinosaur is ill", kitchen=(1, 0)))

    assert _margin(text, known) + known.threshold > _margin(text, _fit(text)) + _fit(text).threshold + 0.3
    assert _margin(text, known) > 0


def test_the_threshold_follows_the_judged_tasks() -> None:
    """If judged tasks are similar to each other, an unfamiliar task stands out more."""
    asked = [f"which tires fit car number {number}" for number in range(40)]
    many = [each for text in asked for each in _judged(text, garage=(1, 0))]

    assert _fit("tires", many).threshold > _fit("tires").threshold


def test_verdicts_on_other_agents_are_ignored() -> None:
    """Judged tasks of agents that no longer exist change nothing."""
    assert _fit("tires", _judged("tires", gone=(1, 0))) == _fit("tires")


def test_the_number_of_rows_is_bounded() -> None:
    """Many agents have fewer phrases each, so training stays quick."""
    listed = ", ".join(f"topic{number}" for number in range(2 * PHRASES))
    few = texts_of({"a": _definition(listed)}, ())
    many = texts_of({f"a{number}": _definition(f"{listed}, own{number}") for number in range(100)}, ())

    assert len(few) == PHRASES
    assert len(many) <= ROWS


@settings(deadline=None, max_examples=30)
@for_any(
    st.text(max_size=60),
    st.lists(st.tuples(st.text(max_size=30), st.sampled_from(sorted(FIELDS)), st.booleans()), max_size=6),
)
def test_any_texts_have_finite_scores(text: str, past: Sequence[tuple[str, str, bool]]) -> None:
    """Any texts and verdicts give finite scores, the same each time."""
    judged = [each for said, name, good in past for each in _judged(said, **{name: (1, 0) if good else (0, 1)})]

    found = _fit(text, judged)

    assert found == _fit(text, judged)
    assert all(abs(each) < 100 for each in (*found.scores.values(), *found.fields.values(), _margin(text, found)))
    assert all(0 <= each <= 1 + 1e-9 for each in found.expertise.values())


def test_agents_of_one_definition_are_one_field() -> None:
    """A text is as familiar to two agents with the same definition as to one of them alone."""
    bank, kitchen = _definition(FIELDS["bank"]), _definition(FIELDS["kitchen"])
    text, one, two = "lost cards", {"a": bank, "c": kitchen}, {"a": bank, "b": bank, "c": kitchen}

    alone, together = _margin(text, _fit(text, of=one), one), _margin(text, _fit(text, of=two), two)

    assert together >= alone > 0


def _definition(description: str) -> Definition:
    return Definition(role="clerk", description=description, perspectives=(Perspective(name="general"),))


def _judged(text: str, **outcomes: tuple[int, int]) -> list[Judged]:
    return [Judged(uuid4(), text, outcomes)]


def _fit(text: str, judged: Sequence[Judged] = (), of: Mapping[str, Definition] | None = None) -> Fit:
    definitions = of or {name: _definition(each) for name, each in FIELDS.items()}
    known = texts_of(definitions, judged)
    model = FitModel(definitions, judged, dict(zip(known, ROWS_OF(known), strict=True)), CALIBRATION)
    return model.fit(features(text, ROWS_OF([text])[0]))


def _margin(text: str, fit: Fit, of: Mapping[str, Definition] | None = None) -> float:
    """Return how far a text is inside the fields of agents without memories."""
    definitions = of or {name: _definition(each) for name, each in FIELDS.items()}
    agents = [Applicant(name, each, (), 0, 0, 0) for name, each in definitions.items()]
    together = market(agents, agents)
    return margin(together, AgentKnowledge.of(together, text), fit)


COLLEAGUES = {
    "finance": ("Finance adviser", "Bank accounts, transfers, bills, taxes, credit cards and loans."),
    "travel": ("Travel agent", "Flights, hotels, luggage, visas, car rental and vacation plans."),
    "cook": ("Cook", "Recipes, ingredients, cooking times, restaurants and nutrition."),
    "mechanic": ("Car mechanic", "Cars, oil changes, tires, fuel, repairs and traffic."),
    "home": ("House assistant", "Shopping lists, reminders, calendar, music, lights and smart devices."),
    "hr": ("Human resources", "Vacation days, salary, insurance, retirement plans, meetings and hiring."),
    "it": ("IT support", "Computers, passwords, networks, software, printers and security."),
}
INSIDE = """
    my card was declined at the shop | how do I send money to my brother | when is my electricity payment due
    what interest will I pay on a mortgage | book me a seat to Rome on Friday | do I need a passport for Canada
    how many bags may I bring on the plane | find a place to stay in Berlin | how long should I boil eggs
    what can replace butter in a cake | is rice healthy | where can we eat sushi tonight
    my engine makes a strange noise | when should I rotate the tires | how far can I drive with half a tank
    remind me to call mum | add milk to my list | play some jazz | turn off the lamp in the bedroom
    how many days off do I have left | when will I be paid | does the company pay for the dentist
    who interviews the new applicants | I forgot my login | the wifi is slow | my laptop does not start
"""
NOWHERE = """
    Who wrote Hamlet? | Why do dinosaurs no longer exist? | How tall is Mount Everest? | What is the capital of Peru?
    What is the square root of 144? | Who won the football world cup in 1998? | Why is the sky blue?
    How do whales breathe? | What does photosynthesis mean? | When did the Roman Empire fall? | Is there life on Mars?
    What is the meaning of life? | Translate this poem into Latin. | Who painted the Mona Lisa?
    How many legs has a spider? | What causes earthquakes? | Who was the first president of the United States?
    What is a black hole? | How do I knit a sweater? | Which philosopher said God is dead? | How do volcanoes erupt?
    Prove that there are infinitely many primes. | Why do cats purr?
"""


def test_questions_of_no_field_are_less_familiar_before_any_experience() -> None:
    """Without a judged task, a question inside the fields of seven agents is more familiar than one about the world, in
    95 % of all pairs.
    """
    inside, nowhere = (_margins(listed) for listed in (INSIDE, NOWHERE))

    assert mean(one > other for one in inside for other in nowhere) >= 0.95


def test_questions_of_no_field_stand_out_before_any_experience() -> None:
    """Without a judged task, most questions about the world are outside the fields of seven agents, and few of the
    questions inside.
    """

    def outside(listed: str) -> float:
        return mean(each < 0 for each in _margins(listed))

    assert outside(NOWHERE) >= 0.8
    assert outside(INSIDE) <= 0.2


def _margins(listed: str) -> list[float]:
    """Return how far each of the listed questions is inside the fields of the seven agents."""
    definitions = {
        name: Definition(role=role, description=described, perspectives=(Perspective(name="general"),))
        for name, (role, described) in COLLEAGUES.items()
    }
    texts = [each.strip() for line in listed.strip().splitlines() for each in line.split("|")]
    return [_margin(text, _fit(text, of=definitions), definitions) for text in texts]
