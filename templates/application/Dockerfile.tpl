FROM node:24-slim AS build
WORKDIR /app
COPY package*.json ./
{{vendorLines}}
# The lockfile decides each version: ./fw run writes it, git contains it.
RUN npm ci --no-audit --no-fund
COPY . .
# Checks code and templates, and compiles the templates into .fw.
# The image uses a database server: without the embedded engine, an optional dependency, it is smaller.
RUN ./fw build && npm prune --omit=dev && rm -rf node_modules/@electric-sql/pglite && mkdir -p db/data

FROM node:24-slim
WORKDIR /app
COPY --from=build --chown=node:node /app ./
USER node
ENV FW_ENV=production
EXPOSE 8080
# /up answers while the process works, /ready while it can serve; the image has no curl.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "const { FW_PORT, PORT } = process.env; fetch(`http://127.0.0.1:${FW_PORT ?? PORT ?? 8080}/up`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "node_modules/fwjs/dist/tools/cli/main.js", "start", "--host", "0.0.0.0"]
