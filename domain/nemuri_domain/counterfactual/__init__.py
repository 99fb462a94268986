"""Counterfactual replay: the effect of another policy on the same events."""
