"""What happens among many agents, pure: simulated time, talk, memes, roles, sentiments, laws, taxes (002 §3, §5.1)."""
