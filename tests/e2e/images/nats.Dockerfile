# nats-server as the image `nats` has it, on Debian: the program, and busybox for what its health check calls.
ARG BASE
FROM ${BASE}
COPY nats-server /usr/local/bin/nats-server
COPY busybox /usr/local/bin/busybox
RUN for name in nc wget; do ln -s busybox "/usr/local/bin/$name"; done && mkdir /data
ENTRYPOINT ["nats-server"]
