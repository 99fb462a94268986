"""Many agents on a clock that jumps."""
