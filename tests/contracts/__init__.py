"""What was released never changes: goldens of every event and question."""
