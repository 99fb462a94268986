"""The experiments with a language model by name. They have the names of the scripted ones, and figures of their own."""

from typing import Final

from nemuri_society.experiments.with_models import items, likeability, memes, specialisation, taxes

MODEL_EXPERIMENTS: Final = {
    "items": items.EXPERIMENT,
    "likeability": likeability.EXPERIMENT,
    "specialisation": specialisation.EXPERIMENT,
    "taxes": taxes.EXPERIMENT,
    "memes": memes.EXPERIMENT,
}
