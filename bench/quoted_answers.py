"""The measured figures of what is found, answered, summed up and routed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from bench.figure import Figure
from bench.scoreboard import THIRDS

ROUTED = (
    "routing among seven agents (CLINC150) after 0 / 10 / 30 judged tasks of each: right; TF-IDF with regression (10 / "
    "30); nearest role and five tasks; asked about out of scope; inside"
)
ROUTED_JA = (
    "7 エージェントへのルーティング(CLINC150、判定済み各 0 / 10 / 30 件):正解;TF-IDF と回帰(10 / 30);"
    "最も近い役割と 5 例;範囲外で尋ねた割合;範囲内で尋ねた割合"
)
ASKED_OUTSIDE, ASKED_INSIDE = 0.8, 0.1
JUDGES = ("layered", "judge, extractive", "judge, recorded")


def _in_domains(result: Any) -> list[Mapping[str, Any]]:
    """Return the figures of routing in whole domains, by the number of judged tasks; those in Japanese without them."""
    found: list[Mapping[str, Any]] = result["measurements"]
    return [one for one in found if one["split"] == "domains"] or found


def _routed(result: Any) -> str:
    """Return the figures of routing and of both baselines, each for every number of judged tasks that has it."""
    names = ("right", "TF-IDF, regression", "role and 5 nearest", "asked outside", "asked inside")
    return "; ".join(
        " / ".join(f"{one[name]:.2f}" for one in _in_domains(result) if name in one)
        for name in names
        if any(name in one for one in _in_domains(result))
    )


def _routes(*goals: float) -> Callable[[Any], bool]:
    """Return whether routing with experience reaches these shares of right choices, and the goals of its questions."""

    def met(result: Any) -> bool:
        experienced = zip(_in_domains(result)[1:], goals, strict=False)
        return all(
            one["right"] >= goal and one["asked outside"] >= ASKED_OUTSIDE and one["asked inside"] <= ASKED_INSIDE
            for one, goal in experienced
        )

    return met


def _perspectives(result: Any) -> str:
    """Return the mean of both languages for each way of choosing, first on the part for tuning, then on the other."""
    return "; ".join(
        " / ".join(
            f"{(result[way][f'{part} en known'] + result[way][f'{part} ja known']) / 2:.2f}"
            for way in ("name and keywords", "with memories")
        )
        for part in ("tuning", "unseen")
    )


def _heard(names: Sequence[str], result: Any) -> str:
    """Return several measures of `bench/heard.py`, first on the part for tuning, then on the unseen part."""
    known = [name for name in names if name in result]
    return "; ".join(" / ".join(f"{result[name][split]:.2f}" for name in known) for split in ("dev", "unseen"))


HEARD: Final = (
    (
        "facts in other words among the first three of 155, English / Japanese / across",
        "別の言葉で尋ねた事実が 155 件中の上位 3 件に入る割合(英語 / 日本語 / 言語間)",
        ("other words en", "other words ja", "other words across"),
        ".65 / .80 / .60",
    ),
    ("the same, multilingual-e5-small", "", ("e5: other words en", "e5: other words ja", "e5: other words across"), ""),
    ("the same, BM25", "", ("BM25: other words en", "BM25: other words ja", "BM25: other words across"), ""),
    (
        "changed facts: the newer first, English / Japanese; the answer leads with it",
        "変わった事実:新しい方が先(英語 / 日本語);回答が新しい方から始まる",
        (
            "changed, newer first en",
            "changed, newer first ja",
            "changed, answer leads en",
            "changed, answer leads ja",
        ),
        ".85 / .85",
    ),
    ("facts that stay true, both among four, English / Japanese", "", ("both true en", "both true ja"), "1.0"),
    (
        "of two parallel facts the older one that is asked for comes first, English / Japanese",
        "",
        ("parallel, the asked one first en", "parallel, the asked one first ja"),
        "",
    ),
    (
        "the fact that answers a question in other words comes first, facts told at once / in two months",
        "",
        ("first, told at once", "first, told in two months"),
        "equal",
    ),
    ("the bare question; the same inside a mail of 350 characters", "", ("mail, question", "mail, message"), "equal"),
    ("questions that nothing answers, answered with a quotation", "", ("unknown, quoted",), ""),
    ("uses without citations and judge, F1", "", ("uses, F1",), ".70"),
)


def _saved(result: Any) -> str:
    """Return the shares of the tokens that are left, by rules for words and by a perfect judge, for each language."""

    def share(one: Any, state: str) -> str:
        return f"{one[state]['tokens'] / one['as told']['tokens']:.2f}"

    return "; ".join(
        f"{share(one, 'words')} / {share(one, 'all')} ({language})" for language, one in result["at"].items()
    )


def _saves_without_loss(result: Any) -> bool:
    return all(
        state["tokens"] < one["as told"]["tokens"]
        and state["recall"] >= one["as told"]["recall"]
        and not state["wrong"]
        for one in result["at"].values()
        for state in (one["words"], one["all"])
    )


def _careless(one: Any) -> str:
    """Return the numbers of replies by what became of them, and the number of all."""
    parts = " / ".join(str(one[how]) for how in ("read", "copied", "by rules", "refused"))
    return f"{parts} of {one['replies']}"


def _answered(one: Any) -> str:
    """Return the share of answered questions, and that of the baseline, as a text."""
    return f"{one['answered']:.3f}; {one['bm25_units']:.3f}"


def _is_above_bm25(one: Any) -> bool:
    """Return True if more questions are answered than by BM25."""
    return bool(one["answered"] > one["bm25_units"])


def _evidence(part: str) -> Callable[[Any], str]:
    """Return a function that gives the evidence within 1,000 and 2,000 tokens, and how far it is above BM25."""
    return lambda result: "; ".join(
        f"{one['memory']:.3f} ({one['above']['mean']:+.3f}, {one['above']['low']:+.3f} to {one['above']['high']:+.3f})"
        for one in result["evidence"][part].values()
    )


def _above_bm25_by(least: float) -> Callable[[Any], bool]:
    return lambda result: all(one["above"]["mean"] >= least for one in result["evidence"]["all"].values())


def _handed_over(result: Any) -> str:
    return " / ".join(f"{one['per_second']:.0f}" for one in result["handed_over"].values())


ANSWER_FIGURES: Final = (
    Figure(
        "evidence of questions about conversations within 1,000; 2,000 tokens, LoCoMo (above BM25 over turns)",
        "evidence",
        _evidence("all"), "+.08", _above_bm25_by(0.08),
    ),
    Figure("the same on the conversations on which nothing was chosen", "evidence", _evidence("unseen")),
    Figure(
        "messages a second that become memories, without a language model: a session after the other / all at once",
        "evidence", _handed_over, "100", lambda one: min(r["per_second"] for r in one["handed_over"].values()) >= 100,
    ),
    Figure(
        "recall@10, LoCoMo (English conversations)", "retrieval-locomo",
        lambda one: f"{one['recall']['turns']:.3f} of {one['questions']:,} questions",
        headline=(
            "recall@10 without a language model, LoCoMo (English conversations)",
            "言語モデルなしの recall@10、LoCoMo(英語の会話)",
        ),
    ),
    Figure(
        "recall@10, JSQuAD (Japanese paragraphs)", "retrieval-jsquad",
        lambda one: f"{one['recall']['both']:.3f} of {one['questions']:,} questions",
        headline=(
            "recall@10 without a language model, JSQuAD (Japanese paragraphs)",
            "言語モデルなしの recall@10、JSQuAD(日本語の段落)",
        ),
    ),
    Figure(
        "questions about another agent's memories that find nothing, LoCoMo", "abstention-locomo",
        lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "the same, JSQuAD", "abstention-jsquad", lambda one: f"{one['foreign_nothing']:.0%}",
    ),
    Figure(
        "questions answered from the right turn of a long conversation, LoCoMo; by BM25 over turns", "document_facts",
        lambda one: _answered(one["conversation en"]["unseen"]),
        "more than BM25", lambda one: _is_above_bm25(one["conversation en"]["unseen"]),
    ),
    Figure(
        "the same from the right paragraph of a long article, JSQuAD; by BM25 over paragraphs", "document_facts",
        lambda one: _answered(one["one subject ja"]["unseen"]),
    ),
    Figure(
        "the same from the right entry of a report on one subject, English / Japanese", "document_facts",
        lambda one: " / ".join(f"{one[f'reports {each}']['unseen']['answered']:.3f}" for each in ("en", "ja")),
    ),
    Figure(
        "planted facts that reach a summary without a language model, by third: English / Japanese", "overviews",
        lambda one: " / ".join(f"{one[f'{each}_overview_{third}']:.2f}" for each in ("en", "ja") for third in THIRDS),
    ),
    Figure(
        "items found in documents that tuned nothing, recall / precision", "items",
        lambda one: f"{one['recall_unseen']:.2f} / {one['precision_unseen']:.2f}",
    ),
    Figure(
        "tokens of a context with semantic memories by words / by a perfect judge, share of those without", "meaning",
        _saved, "less, with no wrong merge and the same recall@10", _saves_without_loss,
    ),
    Figure(
        f"{ROUTED}, built-in vectors", "routing-built-in", _routed,
        ".75 / .84; .8 out of scope, .1 inside", _routes(0.75, 0.84),
        headline=(f"{ROUTED}, built-in vectors", f"{ROUTED_JA}、内蔵ベクトル"),
    ),
    Figure(
        f"{ROUTED}, MiniLM", "routing-semantic", _routed,
        ".80 / .92; .8 out of scope, .1 inside", _routes(0.80, 0.92),
        headline=(f"{ROUTED}, MiniLM", f"{ROUTED_JA}、MiniLM"),
    ),
    *(
        Figure(
            f"{label} (for tuning; unseen)", "heard", partial(_heard, names), goal,
            headline=(f"{label} (for tuning; unseen)", label_ja) if label_ja else None,
        )
        for label, label_ja, names, goal in HEARD
    ),
    Figure(
        "perspective right for a request about a memory, by name and keywords / with memories (for tuning; unseen)",
        "perspectives", _perspectives,
    ),
    Figure(
        "detection of use on hand-written answers, F1: default / judge without / with a language model", "attribution",
        lambda one: " / ".join(f"{one['f1'][judge]:.3f}" for judge in JUDGES),
    ),
    Figure(
        "replies of a careless model with 135 million weights: read / copied from the prompt / by rules / refused",
        "careless_model", _careless,
    ),
)  # fmt: skip
