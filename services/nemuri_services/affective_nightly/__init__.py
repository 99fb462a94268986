"""The nightly job of affective memory: once a day, at the hour in each agent's policy."""
