"""Query API: it publishes the states of tasks to waiting clients, and answers queries from the projections."""
