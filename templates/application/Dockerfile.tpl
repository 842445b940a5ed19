FROM node:24-slim
WORKDIR /app
COPY package*.json ./
RUN npm install --omit=dev --no-audit --no-fund
COPY . .
RUN mkdir -p .fw db/data && chown -R node:node .fw db
USER node
ENV FW_ENV=production
EXPOSE 8080
CMD ["node", "node_modules/fwjs/dist/cli/main.js", "run", "--host", "0.0.0.0"]
