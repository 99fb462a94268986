"""Message contracts: events, queries, views, subjects and the codec. Imports no other package of the project."""
