# Stands in for docker.io/library/haproxy where no registry answers: Debian's own HAProxy, with the official image's user.
FROM localhost/placard-debian:trixie
ARG VERSION
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN apt-get update \
    && apt-get install -y --no-install-recommends haproxy \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && haproxy -v | grep -F "version $VERSION-" \
    && groupmod --gid 99 haproxy \
    && usermod --uid 99 haproxy \
    && mkdir -p /usr/local/etc/haproxy
USER 99:99
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
