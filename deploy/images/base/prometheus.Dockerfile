# Stands in for docker.io/prom/prometheus where no registry answers: Debian's own Prometheus, with the official image's
# user and folders.
FROM localhost/placard-debian:trixie
ARG VERSION
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN apt-get update \
    && apt-get install -y --no-install-recommends prometheus \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && prometheus --version 2>&1 | grep -F "version $VERSION" \
    && install -d -o nobody -g nogroup /prometheus
USER 65534:65534
WORKDIR /prometheus
EXPOSE 9090
ENTRYPOINT ["prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
