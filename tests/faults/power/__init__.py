"""Power failures of nats-servers in virtual machines, with a history of all appends that is checked afterwards."""
