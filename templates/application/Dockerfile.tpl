FROM node:24-slim AS build
WORKDIR /app
COPY package*.json ./
# The lockfile decides each version: ./fw run writes it, git contains it.
RUN npm ci --no-audit --no-fund
COPY . .
# Checks code and templates, and compiles the templates into .fw.
RUN ./fw build && npm prune --omit=dev && mkdir -p db/data

FROM node:24-slim
WORKDIR /app
COPY --from=build --chown=node:node /app ./
USER node
ENV FW_ENV=production
EXPOSE 8080
CMD ["node", "node_modules/fwjs/dist/tools/cli/main.js", "start", "--host", "0.0.0.0"]
