"""The measured figures of an assistant's memory: its hooks, what it shows after months, the feelings it reads."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from bench.figure import Figure, at

SET: Final = "locomo-plus"
ARMS: Final = ("document", "coding", "everything", "bm25")
HOOKS: Final = ("session-start", "stop", "pre-compact", "session-end")


def _arms(*path: str, form: str = ".2f") -> Callable[[Any], str]:
    """Return a function that gives the figure at a path for each arm; a dash for none."""

    def text(result: Any) -> str:
        values = [at(result["at"][SET]["arms"][arm], path) for arm in ARMS]
        return " / ".join("–" if each is None else f"{each:{form}}" for each in values)

    return text


def _stored(result: Any) -> str:
    arms = result["at"][SET]["arms"]
    whole = arms["everything"]["stored"]["characters"]
    return " / ".join(f"{arms[arm]['stored']['characters'] / whole:.2f}" for arm in ARMS[:2])


def _nights(result: Any) -> str:
    recalled = result["at"][SET]["recalled"]
    return "; ".join(
        " / ".join(f"{recalled[profile][times]['nights'][what]:.0f}" for times in ("never", "once", "three times"))
        for profile in ARMS[:2]
        for what in ("whole", "active")
    )


def _memory_figures(kind: str, vectors: str) -> Iterator[Figure]:
    def figure(label: str, text: Callable[[Any], str]) -> Figure:
        return Figure(f"{label}, {vectors}", f"assistant_memory-{kind}", text, size=SET)

    yield figure(
        "what was said weeks or months ago (LoCoMo-Plus, 401 cues), shown for a remark that depends on it: profile"
        " `document` / `coding` / without forgetting / BM25 over all turns",
        _arms("trigger", "shown"),
    )
    yield figure("the same, shown for its own words", _arms("restated", "shown"))
    yield figure("the same, turns with the answer to a question (LoCoMo)", _arms("question", "shown"))
    yield figure("the same, characters injected for each remark", _arms("trigger", "characters", form=",.0f"))
    yield figure(
        "the same, characters injected for each useful memory, of the remarks",
        _arms("trigger", "characters_per_useful", form=",.0f"),
    )
    yield figure(
        "the same, characters injected for each useful memory, of the questions",
        _arms("question", "characters_per_useful", form=",.0f"),
    )
    yield figure("the same, prompts about something else that are shown nothing", _arms("unrelated", "nothing"))


ASSISTANT_FIGURES: Final = (
    Figure(
        "time of a prompt hook with 10,000 affective memories, p95; of starting Python",
        "hook",
        lambda one: f"{one['hook_ms']['p95']:.0f} ms; {one['interpreter_ms']['p95']:.0f} ms",
        "90 ms",
        lambda one: bool(one["hook_ms"]["p95"] <= one["goal_p95_ms"]),
        headline=(
            "time of a prompt hook with 10,000 affective memories, p95; of starting Python",
            "感情記憶 1 万件でのプロンプトフックの時間(p95);Python の起動",
        ),
    ),
    Figure(
        "the same of the hooks for the start of a session / a reply / a compaction / the end of a session",
        "hook",
        lambda one: " / ".join(f"{one['other_hooks_ms'][hook]['p95']:.0f}" for hook in HOOKS) + " ms",
        "90 ms",
        lambda one: bool(max(one["other_hooks_ms"][hook]["p95"] for hook in HOOKS) <= one["goal_p95_ms"]),
        headline=(
            "the same of the hooks for the start of a session / a reply / a compaction / the end of a session",
            "同じく、セッション開始 / 応答 / 圧縮 / セッション終了のフック",
        ),
    ),
    *_memory_figures("built-in", "built-in vectors"),
    Figure(
        "stored text, share of that without forgetting: profile `document` / `coding`",
        "assistant_memory-built-in",
        _stored,
        size=SET,
    ),
    Figure(
        "nights of 180 with the whole text, then nights before the archive, if its words come up never / once / three"
        " times: `document`; `coding`",
        "assistant_memory-built-in",
        _nights,
        size=SET,
    ),
    *_memory_figures("semantic", "MiniLM"),
    Figure(
        "valence of the user's feeling read by the lexicon, on 520 turns labelled apart, English / Japanese; turns"
        " without a feeling; clear or strong feelings; always `neutral`",
        "feelings",
        lambda one: "; ".join(
            f"{one['en'][name]:.2f} / {one['ja'][name]:.2f}" for name in ("valence", "calm", "felt", "always_neutral")
        ),
    ),
    Figure(
        "what a turn concerns (the user, the user's life, a rule, an open end, work, nothing), on 84 sentences that"
        " nothing was fitted to, English / Japanese: right; of the statements about the user, found; of prompts about"
        " work in `feelings.jsonl`, read as the user",
        "concerns",
        lambda one: "; ".join(
            (
                *(f"{one['unseen, en'][name]:.2f} / {one['unseen, ja'][name]:.2f}" for name in ("right", "user")),
                f"{one['work_as_user']:.2f}",
            )
        ),
    ),
)
