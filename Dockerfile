# The image that the Deployment in REFERENCE.md runs. To build it: docker build --tag registry.example.com/tranche:0.1.0 .
FROM node:20-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts/build.mjs scripts/
COPY src src/
RUN npm run build

# Without git, npm's cache and the sources: the bundle has all that it needs. package.json says that it is a module.
FROM node:20-slim
WORKDIR /app
COPY --from=build /build/dist dist/
COPY package.json LICENSE ./
# The user `node`, as a number: with a name, Kubernetes cannot tell that it is not root.
USER 1000:1000
ENTRYPOINT ["node", "/app/dist/tranche.js"]
