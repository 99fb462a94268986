"""The nightly job of affective memory. It runs for each agent once a day, at the hour in the agent's policy."""
