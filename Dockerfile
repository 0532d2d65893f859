# trainc with its wheel, for CI and for renderers in CD. Build the wheel first: make dist
FROM python:3.12-slim
COPY dist/*.whl /tmp/
RUN pip install --no-cache-dir /tmp/*.whl && rm /tmp/*.whl
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["trainc"]
