# kdsd as an image. BASE is any Debian 12 image; scripts/compose-base makes the default one without asking a registry.
ARG BASE=kdsd-base:bookworm

FROM ${BASE} AS build
COPY . /src
WORKDIR /src
# Nothing to install where BASE comes from scripts/compose-base.
RUN scripts/setup
RUN cmake --preset release -DKDSD_TESTS=OFF \
 && cmake --build --preset release --target kdsd -- --quiet \
 && strip -o /usr/local/bin/kdsd build/release/kdsd

FROM ${BASE}
COPY --from=build /src/scripts/setup /usr/local/share/kdsd/setup
RUN /usr/local/share/kdsd/setup \
 && useradd --system --home-dir /var/lib/kdsd --create-home --shell /usr/sbin/nologin kdsd
COPY --from=build /usr/local/bin/kdsd /usr/local/bin/kdsd
USER kdsd
ENV KUMA_GENERAL_WORK_DIR=/var/lib/kdsd
VOLUME /var/lib/kdsd
# REST 5681 and 5682 (TLS), zones 5685 (global only), health and metrics 5680
EXPOSE 5680 5681 5682 5685
# /ready answers 200 once the store is open and every listener is up.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=5 \
  CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://localhost:5680/ready"]
ENTRYPOINT ["/usr/local/bin/kdsd"]
CMD ["run"]
