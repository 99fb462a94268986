"""Sends events to the receivers that users have subscribed, in order, until they are accepted."""
