"""The plot of an affective memory: decay of the strongest memories and under each profile, size of the levels, mood."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from nemuri.terminal.plot_style import BLUE, COLOURS, GREEN, MARKS, ORANGE, PURPLE, canvas, save
from nemuri_contracts.affective import Category
from nemuri_contracts.affective_views import AffectMemoryView, AffectView
from nemuri_domain.affective.nightly_job import allowed_number
from nemuri_domain.affective.policy import PROFILES, AffectPolicy
from nemuri_domain.affective.retention import nights_until
from nemuri_domain.affective.retention import retention as decayed
from nemuri_domain.event_sourcing.array_arithmetic import ARRAYS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Nights = NDArray[np.float64]
FORMATS: Final = (".svg", ".png")
SIZE: Final = (12.0, 7.5)
"""Width and height in inches."""
CURVES: Final = 8
"""Number of memories drawn with a decay curve, strongest first."""
MAX_NIGHTS: Final = 365
"""Maximum length of the curves, in nights."""
TURNS: Final[tuple[tuple[Category, int], ...]] = (("work", 33), ("decision", 45))
"""Turns whose fading is drawn under each profile: category and intensity. They are typical of sessions."""
PROFILE_NIGHTS: Final = 60
"""Length of the curves under a profile, in nights."""
EPOCH: Final = date(1970, 1, 1).toordinal()
"""Ordinal of the day from which matplotlib counts days."""
LEVELS: Final = ("1 whole", "2 summary", "3 keywords", "archive")


def draw(view: AffectView, file: Path) -> None:
    """Write the plot into the file, as SVG or PNG by its suffix. Raises `MatplotlibMissing` and `OSError`."""
    rules = AffectPolicy.of(view.parameters)
    with canvas(SIZE) as figure:
        grid = figure.add_gridspec(2, 2, height_ratios=(3, 2))
        _curves(view, rules, figure.add_subplot(grid[0, 0]))
        _profiles(rules, figure.add_subplot(grid[0, 1]))
        _levels(view, rules, figure.add_subplot(grid[1, 0]))
        _moods(view, figure.add_subplot(grid[1, 1]))
        figure.suptitle(f"Affective memory of {view.agent_id} after {view.nights} nights", fontsize=11)
        save(figure, file)


def retention(memory: AffectMemoryView, nights: Nights) -> Nights:
    """Return the retention of a memory, 0 to 100, after each number of nights without a recall."""
    left: Nights = decayed(
        kept=memory.retention,
        zero=0,
        begun=0,
        coefficient=memory.coefficient,
        night=nights,
        archived=np.zeros_like(nights) if memory.archived else None,
        arithmetic=ARRAYS,
    )
    return left


def _curves(view: AffectView, rules: AffectPolicy, axes: "Axes") -> None:
    shown = view.memories[:CURVES]
    nights = np.arange(0, _horizon(shown, rules) + 1, dtype=np.float64)
    for number, memory in enumerate(shown):
        axes.plot(
            nights,
            retention(memory, nights),
            color=COLOURS[number % len(COLOURS)],
            linestyle="-" if number < len(COLOURS) else "--",
            marker=MARKS[number % len(MARKS)],
            markevery=max(1, len(nights) // 8),
            label=memory.label,
        )
    for level, threshold in enumerate(rules.thresholds, start=1):
        axes.axhline(threshold, color="0.6", linewidth=1, linestyle=":")
        axes.annotate(f"level {level}", (0, threshold), color="0.4", fontsize=8, va="bottom")
    axes.set_xlabel("nights from now without a recall")
    axes.set_ylabel("retention (0 to 100)")
    axes.set_title("How the strongest memories will fade" if shown else "There are no memories yet", fontsize=10)
    axes.set_ylim(0, 105)
    axes.grid(alpha=0.3)
    if shown:
        axes.legend(frameon=False, fontsize=8, loc="upper right")


def _profiles(rules: AffectPolicy, axes: "Axes") -> None:
    """Draw how turns fade under each profile, and under the agent's parameters if they are none of them."""
    own = next((name for name, profile in PROFILES.items() if profile == rules), "parameters")
    drawn = {f"{own} (in force)": rules} | {name: profile for name, profile in PROFILES.items() if profile != rules}
    for colour, (name, profile) in zip(COLOURS, drawn.items(), strict=False):
        for line, (category, intensity) in zip(("-", "--"), TURNS, strict=True):
            coefficient = profile.retention.coefficient(category, intensity)
            nights = np.arange(0, PROFILE_NIGHTS + 1, dtype=np.float64)
            left: Nights = decayed(
                kept=intensity, zero=0, begun=0, coefficient=coefficient, night=nights, arithmetic=ARRAYS
            )
            axes.plot(nights, left, color=colour, linestyle=line, label=f"{category}, {name}")
            _falls(profile, intensity, coefficient, colour, axes)
    axes.set_xlabel("nights; workdays under coding")
    axes.set_ylabel("retention (0 to 100)")
    axes.set_title("How turns fade by profile; numbers: end of a level", fontsize=10)
    axes.set_ylim(0, 60)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _falls(rules: AffectPolicy, intensity: int, coefficient: float, colour: str, axes: "Axes") -> None:
    """Mark where a turn leaves each level."""
    for level, threshold in enumerate(rules.thresholds, start=1):
        night = nights_until(threshold, kept=intensity, coefficient=coefficient) if intensity > threshold > 0 else 0.0
        if night <= PROFILE_NIGHTS:
            axes.annotate(str(level), (night, min(threshold, intensity)), color=colour, fontsize=9, weight="bold")


def _horizon(shown: tuple[AffectMemoryView, ...], rules: AffectPolicy) -> int:
    """Return the number of nights until all memories in `shown` are archived without a recall, 10 to `MAX_NIGHTS`."""
    threshold = max(rules.levels.level3_threshold, 0.1)
    left = [
        nights_until(threshold, kept=affect_memory.retention, coefficient=affect_memory.coefficient)
        for affect_memory in shown
        if affect_memory.retention > 0
    ]
    return int(min(MAX_NIGHTS, max([10.0, *left])))


def _levels(view: AffectView, rules: AffectPolicy, axes: "Axes") -> None:
    number = sum(view.levels)
    axes.bar(LEVELS, view.levels, color=(BLUE, GREEN, ORANGE, PURPLE), width=0.6)
    for index, ratio in enumerate(rules.ratios):
        most = allowed_number(ratio, number)
        axes.hlines(most, index - 0.4, index + 0.4, color="0.2", linewidth=1.5)
        axes.annotate(f"at most {most}", (index, most), ha="center", va="bottom", fontsize=8)
    axes.set_ylabel("memories (number)")
    axes.set_title(f"Levels; {view.protected} of {view.limit} protected", fontsize=10)
    axes.margins(y=0.15)


def _moods(view: AffectView, axes: "Axes") -> None:
    days = [float(mood.day.toordinal() - EPOCH) for mood in view.moods]
    axes.xaxis_date()
    axes.axhline(0, color="0.4", linewidth=1)
    axes.plot(days, [mood.valence for mood in view.moods], color=BLUE, marker="o", label="valence (-1 to 1)")
    axes.plot(days, [mood.arousal / 100 for mood in view.moods], color=ORANGE, marker="s", label="arousal (of 100)")
    axes.plot(days, [mood.intensity / 100 for mood in view.moods], color=GREEN, marker="^", label="intensity (of 100)")
    axes.set_ylim(-1.05, 1.05)
    if days:
        axes.set_xlim(days[0] - 1, days[-1] + 1)
    axes.set_title("Mood by day: means over its memories", fontsize=10)
    axes.tick_params(axis="x", labelrotation=30, labelsize=8)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=3)
