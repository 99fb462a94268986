# One image for every service; which one it is, the command says.
FROM python:3.11-slim AS build
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
RUN /opt/nemuri/bin/pip install --no-cache-dir --constraint constraints.txt ".${EXTRAS:+[$EXTRAS]}"

FROM python:3.11-slim
RUN useradd --uid 10001 --create-home nemuri && install --directory --owner=nemuri --mode=0700 /var/lib/nemuri
COPY --from=build /opt/nemuri /opt/nemuri
ENV PATH="/opt/nemuri/bin:$PATH" PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
USER 10001
WORKDIR /home/nemuri
CMD ["nemuri", "--help"]
