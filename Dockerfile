# syntax=docker/dockerfile:1
# The search of the house bots is compiled (extra `fast`) when it is first needed, and kept in the volume.
# Two stages: the first builds and installs, the second holds only what runs, without root.
FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /opt/parlour
COPY pyproject.toml README.md LICENSE ./
COPY runtime runtime
COPY engine engine
COPY protocol protocol
COPY server server
COPY client client
COPY parlour parlour
RUN /opt/parlour/bin/pip install --no-cache-dir '.[postgres,mqtt,ssh,fast]'

FROM python:3.13-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/parlour parlour
COPY --from=build /opt/parlour /opt/parlour
ENV PATH=/opt/parlour/bin:$PATH PYTHONUNBUFFERED=1 PARLOUR_HOST=0.0.0.0 PARLOUR_DB=/var/lib/parlour/parlour.db
USER 10001
WORKDIR /var/lib/parlour
VOLUME /var/lib/parlour
EXPOSE 8765
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/livez', timeout=2)"]
# SIGTERM drains: clients are notified, and commands that have begun are stored
STOPSIGNAL SIGTERM
ENTRYPOINT ["parlour"]
CMD ["serve"]
