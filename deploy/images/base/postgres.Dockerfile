# Stands in for docker.io/library/postgres where no registry answers: Debian's own PostgreSQL at the official image's
# places, with the variables of its entrypoint that the compose file uses.
FROM localhost/placard-debian:trixie
ARG VERSION
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN groupadd --system --gid 999 postgres \
    && useradd --system --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
    && apt-get update \
    && apt-get install -y --no-install-recommends postgresql-common \
    && sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && apt-get install -y --no-install-recommends "postgresql-${VERSION%%.*}" \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && "/usr/lib/postgresql/${VERSION%%.*}/bin/postgres" --version | grep -F "(PostgreSQL) $VERSION " \
    && ln -s /usr/lib/postgresql/"${VERSION%%.*}"/bin/* /usr/local/bin/ \
    && install -d -o postgres -g postgres -m 0700 /var/lib/postgresql/data \
    && install -d -o postgres -g postgres -m 0755 /var/run/postgresql
COPY --chmod=0755 postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PGDATA=/var/lib/postgresql/data
STOPSIGNAL SIGINT
EXPOSE 5432
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
