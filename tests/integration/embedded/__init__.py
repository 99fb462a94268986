"""The servers from wheels, started and stopped."""
