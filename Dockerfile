# Images of a release. None needs the sources afterwards:
#   docker build --target collect   -t ldp-collect .     the endpoint and the command, from Debian's packages of this tree
#   docker build --target server    -t ldp-postgres .    PostgreSQL with the extension
#   docker build --target extension -t ldp-extension .   the extension alone, in the layout that CloudNativePG mounts
# POSTGRES and DEBIAN choose the server of the last two: they fit a server of the same PostgreSQL and the same Debian.
ARG POSTGRES=18
ARG DEBIAN=trixie

FROM debian:bookworm-slim AS packages
COPY . /src
WORKDIR /src
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends cmake debhelper dh-python dpkg-dev g++ git lintian postgresql-server-dev-all \
        pkg-config libboost-dev libboost-program-options-dev libeigen3-dev libpqxx-dev libreadstat-dev libsqlite3-dev ninja-build nlohmann-json3-dev \
    && tools/deb /packages

FROM debian:bookworm-slim AS collect
RUN --mount=from=packages,source=/packages,target=/packages \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /packages/ldp-tools_*.deb \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home ldp_collect
USER ldp_collect
EXPOSE 8417
# The database is in libpq's environment: PGHOST, PGDATABASE, PGUSER, PGPASSFILE.
ENTRYPOINT ["/usr/bin/ldp"]
CMD ["collect", "--listen", "0.0.0.0:8417"]

FROM postgres:${POSTGRES}-${DEBIAN} AS build
COPY . /src
WORKDIR /src
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends cmake g++ make ninja-build "postgresql-server-dev-${PG_MAJOR}" \
        libboost-dev libeigen3-dev libsqlite3-dev nlohmann-json3-dev pkg-config
# Where this server looks, and where CloudNativePG looks.
RUN make -j"$(nproc)" CLIENT= WARNINGS=-Wall \
    && make CLIENT= WARNINGS=-Wall install DESTDIR=/server \
    && make CLIENT= WARNINGS=-Wall install DESTDIR=/extension datadir=/share pkglibdir=/lib

FROM postgres:${POSTGRES}-${DEBIAN} AS server
COPY --from=build /server/ /

FROM scratch AS extension
COPY --from=build /extension/ /
