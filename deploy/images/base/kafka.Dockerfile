# Stands in for docker.io/apache/kafka where no registry answers: the jars of deploy/kafka/pom.xml on Debian's Java, with
# the commands of the official image that the compose file uses. The build context is deploy/kafka.
FROM localhost/placard-debian:trixie
ARG VERSION
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
RUN groupadd --gid 1000 appuser \
    && useradd --uid 1000 --gid appuser appuser \
    && apt-get update \
    && apt-get install -y --no-install-recommends openjdk-21-jre-headless \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
COPY lib /opt/kafka/libs
# hadolint ignore=SC2016 # the shell of the scripts expands them
RUN test -e "/opt/kafka/libs/kafka_2.13-$VERSION.jar" \
    && mkdir /opt/kafka/bin \
    && script() { printf '#!/bin/bash\nexec java ${KAFKA_HEAP_OPTS:-} ${KAFKA_OPTS:-} -cp "/opt/kafka/libs/*" %s "$@"\n' "$2" \
         > "/opt/kafka/bin/$1" && chmod 0755 "/opt/kafka/bin/$1"; } \
    && script kafka-storage.sh kafka.tools.StorageTool \
    && script kafka-server-start.sh kafka.Kafka \
    && script kafka-topics.sh org.apache.kafka.tools.TopicCommand \
    && install -d -o appuser -g appuser /var/lib/kafka/data
USER 1000:1000
EXPOSE 9092
