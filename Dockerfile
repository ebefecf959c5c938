# The image that the Deployment in REFERENCE.md runs. To build it: docker build --tag registry.example.com/tranche:0.1.0 .
# Node 24 gets fixes until April 2028. The digest is that of node:24-bookworm-slim with Node 24.19.0: move it with each new one.
# What it gives is text, the same for every processor, so it is made on the one that builds.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
# The commit that a release is made of, for `tranche --version`.
ARG TRANCHE_COMMIT
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts/build.mjs scripts/
COPY src src/
RUN npm run build

# What builds kustomize folders: the release that Argo CD and Flux build with, by its checksum. It is on PATH, and named by
# nobody: a folder is taken over only where TRANCHE_KUSTOMIZE says kustomize.
FROM scratch AS kustomize-amd64
ADD --checksum=sha256:029a7f0f4e1932c52a0476cf02a0fd855c0bb85694b82c338fc648dcb53a819d https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv5.8.1/kustomize_v5.8.1_linux_amd64.tar.gz /kustomize.tar.gz
FROM scratch AS kustomize-arm64
ADD --checksum=sha256:0953ea3e476f66d6ddfcd911d750f5167b9365aa9491b2326398e289fef2c142 https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv5.8.1/kustomize_v5.8.1_linux_arm64.tar.gz /kustomize.tar.gz
FROM kustomize-$TARGETARCH AS archive
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS kustomize
WORKDIR /unpacked
COPY --from=archive /kustomize.tar.gz ./
RUN tar -xzf kustomize.tar.gz kustomize

# Without git, npm's cache and the sources: the bundle has all that it needs. package.json says that it is a module.
FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
WORKDIR /app
COPY --from=build /build/dist dist/
COPY package.json LICENSE ./
COPY --from=kustomize /unpacked/kustomize /usr/local/bin/
# What `tranche init` copies from.
COPY policies policies/
# The user `node`, as a number: with a name, Kubernetes cannot tell that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "/app/dist/tranche.js"]
