"""The measured figures that the README and docs/measurements.md quote, with their goals."""

from typing import Final

from bench.quoted_answers import ANSWER_FIGURES
from bench.quoted_load import LOAD_FIGURES
from bench.quoted_memory import ASSISTANT_FIGURES
from bench.quoted_scale import SCALE_FIGURES
from bench.quoted_speed import SPEED_FIGURES

FIGURES: Final = (*ANSWER_FIGURES, *SPEED_FIGURES, *ASSISTANT_FIGURES, *LOAD_FIGURES, *SCALE_FIGURES)
"""The lines of the table, in their order."""
