"""Query API: it sends results to waiting clients, and answers queries from the projections."""
