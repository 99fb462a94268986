"""Counterfactual replay: what another policy would have made of the same events."""
