#!/bin/sh
# Whether the nats-server of this container can still write. After its disk refused a write it takes no more of that
# stream, or of any, until it is started anew, however much room there is again. Its own answer for liveness
# (`js-enabled-only`) does not always say so, and its whole health is also bad while it catches up, which passes.
# Exits with 0 while it can write, with 1 where it cannot, with 2 where it does not answer.
answer=$(printf 'GET /healthz?details=true HTTP/1.0\r\n\r\n' | nc 127.0.0.1 "${1:-8222}" 2>/dev/null)
case $answer in
  *"write error"* | *"out of resources"* | *"not enabled"* | *"disabled"*) echo "$answer"; exit 1 ;;
  *'"status"'*) exit 0 ;;
  *) echo "no answer"; exit 2 ;;
esac
