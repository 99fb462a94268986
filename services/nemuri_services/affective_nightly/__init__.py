"""The nights of affective minds: one a day, at the hour of each agent."""
