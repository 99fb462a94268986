"""The claim, tested: agents in memory live through streams of tasks, and what became of them is measured."""
