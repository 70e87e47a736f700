# docs/how-to/building.md has the commands. -Dcpu=baseline: the image runs on any CPU of the architecture.
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates make clang-16
COPY . /src
RUN make -C /src deps install PREFIX=/usr/local \
    SETUP="--buildtype=release --prefix=/usr/local -Dtests=disabled -Dcpu=baseline" \
 && rm -rf /src
WORKDIR /work
ENTRYPOINT ["corun"]
CMD ["--help"]
