"""Tests of the printed texts and plots about affective memory, and of reading its parameters from files."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from nemuri.admin.affective import back_to_defaults, read_parameters
from nemuri.admin.agent_definitions import DefinitionError
from nemuri.cli.affective_lines import cost_json, show, show_recalled
from nemuri.terminal.affective_plots import draw
from nemuri_contracts.affective import Emotion
from nemuri_contracts.affective_views import AffectMemoryView, AffectRecallView, AffectView, MoodPoint, RecalledView
from nemuri_domain.affective.policy import CODING, PROFILES, AffectPolicy


def memory(number: int, **more: Any) -> AffectMemoryView:
    """Return a memory with this number."""
    fields: dict[str, Any] = {
        "memory_id": UUID(int=number), "label": f"mem_20260120_{number:03d}", "level": 1, "retention": 80.0 - number,
        "said_at": datetime(2026, 1, 20, 10, tzinfo=UTC), "coefficient": 0.99, "days": 1.5, "intensity": 80,
        "emotion": Emotion(valence="positive", arousal=70, tags=("joy",)), "category": "emotional", "keywords": (),
        "trigger": f"Question {number}", "content": f"Answer {number}", "recall_count": 2, "protection": "none",
        "archived": False, "project": "example.org/bakery", "concern": "work", "personal": False,
    }  # fmt: skip
    return AffectMemoryView.model_validate(fields | more)


def view(**more: Any) -> AffectView:
    """Return the view of an agent with a hundred memories."""
    fields: dict[str, Any] = {
        "agent_id": "diary", "nights": 9, "last_night": date(2026, 1, 29), "levels": (15, 30, 35, 20), "protected": 2,
        "characters": (40_000, 9_000, 700, 0), "protected_characters": 1_234,
        "limit": 50, "waiting": (), "oldest_protected": (), "memories": tuple(map(memory, (1, 2, 3))),
        "moods": (MoodPoint(day=date(2026, 1, 20), valence=0.5, arousal=70, intensity=60, memories=3),),
        "remembered": 1_000, "compressed": (850, 550), "recalls": 1_000,
        "first_at": datetime(2026, 1, 20, 9, tzinfo=UTC), "parameters": {}, "coming": None,
        "projects": (), "merged": {},
    }  # fmt: skip
    return AffectView.model_validate(fields | more)


def said(capsys: pytest.CaptureFixture[str], about: AffectView) -> str:
    """Print the overview of an agent, and return the printed text."""
    show(about)
    return capsys.readouterr().out


def test_levels_are_shown_with_their_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """The overview shows counts, shares, limits, sizes and protection. Nothing is asked if none waits."""
    lines = [" ".join(line.split()) for line in said(capsys, view()).splitlines()]
    assert lines[0] == "diary: 1000 turns remembered, 1000 recalls, 9 nights, the last on 2026-01-29"
    for row in (
        "1 whole 15 15% 15 40,000",
        "2 summary 30 30% 30 9,000",
        "3 keywords 35 35% 35 700",
        "4 archive 20 20% - 0",
    ):
        assert row in lines
    assert "protected: 2 of 50, 1,234 characters" in lines
    assert "mem_20260120_001 79.0 1.5 1 2 joy Question 1 → Answer 1" in lines
    assert not [line for line in lines if "unprotect" in line]


def test_few_memories_have_no_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """The overview shows no limits while there are too few memories to enforce the ratios."""
    text = said(capsys, view(levels=(10, 0, 0, 0)))
    assert "shares are enforced at 20 memories or more" in text


def test_a_memory_that_waits_for_protection_is_a_question(capsys: pytest.CaptureFixture[str]) -> None:
    """If memories wait for protection, the overview names them, the protected memories, and the command that decides
    between them.
    """
    waiting, protected = memory(7, protection="asked"), memory(4, protection="protected")
    text = said(capsys, view(waiting=(waiting,), oldest_protected=(protected,), protected=50))
    assert (
        text.index("the limit is reached")
        < text.index("mem_20260120_007")
        < text.index("mem_20260120_004 [2026-01-20] Question")
    )
    assert "nemuri affect diary unprotect MEMORY" in text


def test_costs_are_extrapolated_from_the_real_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """The yearly cost, given for document 001's hundred turns a day, is extrapolated from a thousand turns in ten
    days.
    """
    assert "a year at the pace of these 10 days $325.06 (¥48,759)" in said(capsys, view())
    shown_costs = cost_json(view())
    assert shown_costs["days"] == 10
    assert sum(shown_costs["a_year"].values()) == pytest.approx(325.16, abs=0.15)
    assert sum(shown_costs["so_far"].values()) == pytest.approx(325.16 / 36.5, abs=0.01)
    assert "$" not in said(capsys, view(remembered=0))


def test_recalled_memories_are_shown_with_their_reasons(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each recalled memory is printed with its priority, its similarity, its resonance and the cue that found it."""
    monkeypatch.setenv("COLUMNS", "160")
    found = RecalledView(memory=memory(1), priority=12.34, similarity=0.5, resonance=0.3, by="similarity")
    beside = RecalledView(
        memory=memory(2, archived=True), priority=0, similarity=0, resonance=0, by="relation", relation="continues"
    )
    show_recalled(AffectRecallView(recalled=(found, beside), block="", words_only=True), None)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "mem_20260120_001 12.34 0.500 0.30 79.0 2 similarity Question 1 → Answer 1" in lines
    assert lines[2].endswith("relation: continues [archived] Question 2 → Answer 2")
    assert lines[3] == "no vector was available in time; words were compared instead"
    show_recalled(AffectRecallView(recalled=(), block=""), None)
    assert capsys.readouterr().out == "no memory was retrieved\n"
    show_recalled(AffectRecallView(recalled=(), block=""), "/oven")
    assert capsys.readouterr().out == "no memory was retrieved in the project /oven; --all-projects searches in all\n"


@pytest.mark.parametrize("name", ["diary.svg", pytest.param("diary.png", marks=pytest.mark.long)])
def test_the_plot_is_deterministic(tmp_path: Path, name: str) -> None:
    """The plot of a memory is the same each time. It shows the strongest memories, the levels with limits, and the
    mood.

    A memory without entries has a plot too.
    """
    first, second, empty = (tmp_path / f"{each}{name}" for each in "abc")
    for file in (first, second):
        draw(view(), file)
    draw(view(memories=(), moods=(), levels=(0, 0, 0, 0)), empty)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != empty.read_bytes()
    if name.endswith("svg"):
        drawn = first.read_text()
        assert "<!-- mem_20260120_001 -->" in drawn
        labels = ("work, document (in force)", "decision, document (in force)", "work, coding", "decision, coding")
        assert all(f"<!-- {label} -->" in drawn for label in labels)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.yaml", "version: '1.0.0'\nlevels: {level1_threshold: 60}\nllm: {temperature: 0}\n"),
        ("c.json", '{\n\t"version": "1.0.0",\n\t"levels": {"level1_threshold": 60},\n\t"llm": {"temperature": 0}\n}'),
    ],
)
def test_parameters_are_read_from_yaml_and_json(tmp_path: Path, name: str, text: str) -> None:
    """Parameters are read from YAML and JSON. Keys that belong to the platform are ignored and reported."""
    (tmp_path / name).write_text(text)
    policy, elsewhere = read_parameters(tmp_path / name)
    assert policy.differing == {"levels": {"level1_threshold": 60.0}}
    assert elsewhere == ("version", "llm")


@pytest.mark.parametrize(
    ("name", "text", "expected_message"),
    [
        ("c.yaml", "levels: [", "c.yaml:1:10: malformed YAML"),
        ("c.json", '{"levels": {', "c.json:1:"),
        ("c.json", "[1]", "c.json: write a mapping of parameters"),
        ("c.yaml", "levels: {level9: 1}", "c.yaml: levels.level9: there is no such key"),
        ("c.yaml", "levels: {level1_threshold: 1}", "c.yaml: levels: the thresholds must fall"),
        ("c.json", '{"mood": {}}', "c.json: mood: there is no such key"),
        ("c.yaml", "", "c.yaml: the file is empty"),
    ],
)
def test_wrong_parameters_are_one_line_with_their_place(
    tmp_path: Path, name: str, text: str, expected_message: str
) -> None:
    """Wrong parameters are refused with one line that names the file, the place and the error."""
    (tmp_path / name).write_text(text)
    with pytest.raises(DefinitionError) as refused:
        read_parameters(tmp_path / name)
    assert expected_message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_spending_of_the_day_is_shown_with_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """What language models spent today is shown with the limits of the policy; nothing without both."""
    limits = {"spending": {"daily_tokens": 1_000_000, "daily_money": 0.5}}
    show(view(spent_tokens=12_300, spent_money=0.0421, parameters=limits))
    assert "language models today: 12,300 of 1,000,000 tokens, 0.0421 of 0.5 of money\n" in capsys.readouterr().out
    show(view())
    assert "language models" not in capsys.readouterr().out


def test_parameters_that_a_file_resets_are_named() -> None:
    """Parameters that differed and that an adopted file does not name are named, because they return to defaults."""
    before = view(parameters=PROFILES[CODING].differing)
    adopted = AffectPolicy.model_validate({"spending": {"daily_money": 0.5}, "levels": {"level1_threshold": 30}})
    reset = back_to_defaults(before, adopted)
    assert {"levels.level2_threshold", "retention.aging_days", "spending.daily_tokens"} <= set(reset)
    assert "levels.level1_threshold" not in reset
    default = AffectPolicy().retention.model_dump(mode="json")
    named = AffectPolicy.model_validate({"retention": default})
    assert not {each for each in back_to_defaults(before, named) if each.startswith("retention.")}
