"""Adapters: the memory of an agent, in the form that other frameworks expect of a memory.

Each module is for one framework and needs the extra of its name. All stand on the public client alone, and nothing else
of the platform imports them. `docs/how-to/use-with-frameworks.md` has an example of each.
"""
