# Stands in for docker.io/library/redis where no registry answers: Debian's own Redis, with the official image's user.
FROM localhost/placard-debian:trixie
ARG VERSION
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN groupadd --system --gid 999 redis \
    && useradd --system --uid 999 --gid redis --home-dir /data redis \
    && apt-get update \
    && apt-get install -y --no-install-recommends redis-server \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && redis-server --version | grep -F "v=$VERSION " \
    && install -d -o redis -g redis /data
WORKDIR /data
EXPOSE 6379
CMD ["redis-server"]
