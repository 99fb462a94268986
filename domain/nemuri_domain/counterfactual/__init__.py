"""Counterfactual replay: the effect that another policy would have had on the same events."""
