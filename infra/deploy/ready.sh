#!/bin/bash
# Whether the service of this container is ready: it finds its consumers, the views and the servers. Takes 3 ms, where a
# Python that asks takes the processor of twenty services for half of the time. Argument: the port.
exec 3<> "/dev/tcp/127.0.0.1/${1:-8080}" || exit 1
printf 'GET /ready HTTP/1.0\r\n\r\n' >&3
read -r -t 3 _ status _ <&3
[ "$status" = 200 ]
