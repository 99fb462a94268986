"""The learned scorer of each agent: trained from what its tasks used, judged on the newest of them."""
