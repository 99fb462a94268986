"""Affective memory, pure: what is felt strongly stays, what is not fades by night (document 001)."""
