# realm-cli alone in an image: docker build -t realm-cli . && docker run --rm -v "$PWD:/data" realm-cli info people.realm
# Realms are read as user 65532; to write into a mounted folder, give your own: --user "$(id -u):$(id -g)".
FROM swift:6.2-bookworm AS build
WORKDIR /source
COPY . .
RUN Scripts/package && tar -xzf dist/realm-cli-*-linux-*.tar.gz --strip-components=1 -C /opt \
  && mkdir -m 1777 /opt/tmp

FROM scratch
COPY --from=build /opt/bin/realm-cli /usr/bin/realm-cli
COPY --from=build /opt/LICENSE /opt/NOTICES /usr/share/doc/realm-cli/
# For the copies of realms that an app has open.
COPY --from=build /opt/tmp /tmp
USER 65532:65532
WORKDIR /data
ENTRYPOINT ["/usr/bin/realm-cli"]
