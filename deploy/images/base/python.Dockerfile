# Stands in for docker.io/library/python where no registry answers: Debian's own Python at the official image's place.
FROM localhost/placard-debian:trixie
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-venv python3-dev \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && find /usr/lib -name 'libpython3*.a' -delete \
    && for name in python python3; do ln -s /usr/bin/python3 "/usr/local/bin/$name"; done
CMD ["python3"]
