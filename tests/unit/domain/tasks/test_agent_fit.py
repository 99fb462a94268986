"""Tests of the fit of agents to a text, learned from definitions and judged tasks (document 000 §3.1)."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_domain.tasks.agent_fit import LEXICAL, PHRASES, ROWS, Fit, FitModel, Judged, features, texts_of
from nemuri_domain.tasks.definition_phrases import phrases
from nemuri_infra.embeddings.hashing import HashingEmbedder

FIELDS = {
    "bank": "Accounts, lost cards and interest.",
    "kitchen": "Soups, sauces, recipes.",
    "garage": "Cars, tires, oil.",
}
ROWS_OF = HashingEmbedder().rows


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
    """A text without a known word is outside every field, until a similar task was judged."""
    text = "my dinosaur is ill"

    assert _fit(text).familiarity < _fit(text).threshold
    known = _fit(text, _judged("a dinosaur is ill", kitchen=(1, 0)))
    assert known.familiarity > known.threshold


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
    assert all(abs(each) < 100 for each in (*found.scores.values(), found.familiarity))
    assert all(0 <= each <= 1 + 1e-9 for each in found.expertise.values())


def _definition(description: str) -> Definition:
    return Definition(role="clerk", description=description, perspectives=(Perspective(name="general"),))


def _judged(text: str, **outcomes: tuple[int, int]) -> list[Judged]:
    return [Judged(uuid4(), text, outcomes)]


def _fit(text: str, judged: Sequence[Judged] = ()) -> Fit:
    definitions: Mapping[str, Definition] = {name: _definition(each) for name, each in FIELDS.items()}
    known = texts_of(definitions, judged)
    model = FitModel(definitions, judged, dict(zip(known, ROWS_OF(known), strict=True)), LEXICAL)
    return model.fit(features(text, ROWS_OF([text])[0]))
