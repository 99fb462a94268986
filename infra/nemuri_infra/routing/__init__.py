"""The agents as candidates for a text: their numbers, their fit, and a light model's choice between them."""
