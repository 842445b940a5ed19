# Starts the application with PostgreSQL, pgbouncer and nginx. Write the password for pgbouncer first, outside Git:
#   echo '"app" "'$POSTGRES_PASSWORD'"' > deploy/docker/userlist.txt
{{certificateHint}}
#   SECRET_KEY_BASE=… HOSTS=example.com POSTGRES_PASSWORD=… docker compose -f deploy/docker/compose.yaml up -d --wait
name: {{packageName}}

x-application: &application
  build:
    context: ../..
  image: {{packageName}}
  read_only: true
  # Large uploads are written to the temporary folder.
  tmpfs: ['/tmp', '/app/tmp']
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']
  environment: &environment
    FW_ENV: production
    SECRET_KEY_BASE: ${SECRET_KEY_BASE:?run ./fw secret}
    HOSTS: ${HOSTS:?the host names of the application}
    TRUSTED_PROXIES: 10.77.0.0/24
    DATABASE_URL: postgres://app:${POSTGRES_PASSWORD:?}@pgbouncer:6432/app

services:
  app:
    <<: *application
    depends_on:
      migrate: { condition: service_completed_successfully }
      pgbouncer: { condition: service_started }
    networks: [internal]
    # More than server.shutdownGrace, 20 s.
    stop_grace_period: 30s
    restart: unless-stopped

  # Migrations need a session, so they go past pgbouncer.
  migrate:
    <<: *application
    command: [node, node_modules/fwjs/dist/tools/cli/main.js, 'db:migrate']
    environment:
      <<: *environment
      DATABASE_URL: postgres://app:${POSTGRES_PASSWORD:?}@postgres:5432/app
    depends_on:
      postgres: { condition: service_healthy }
    networks: [internal]
    restart: on-failure

  nginx:
    image: nginx:1.28-alpine
    depends_on:
      app: { condition: service_healthy }
    ports: {{ports}}
    volumes: ['./nginx.conf:/etc/nginx/nginx.conf:ro']
    {{nginxSecrets}}
    networks: [internal]
    restart: unless-stopped

  pgbouncer:
    image: edoburu/pgbouncer:v1.24.1-p1
    command: [pgbouncer, /etc/pgbouncer/pgbouncer.ini]
    entrypoint: []
    depends_on:
      postgres: { condition: service_healthy }
    volumes: ['./pgbouncer.ini:/etc/pgbouncer/pgbouncer.ini:ro']
    configs:
      - source: userlist
        target: /etc/pgbouncer/userlist.txt
    networks: [internal]
    restart: unless-stopped

  postgres:
    image: postgres:17-alpine
    environment:
      POSTGRES_USER: app
      POSTGRES_DB: app
      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?}
    volumes: ['data:/var/lib/postgresql/data']
    healthcheck:
      test: [CMD-SHELL, pg_isready -U app]
      interval: 5s
      timeout: 3s
      retries: 10
    networks: [internal]
    restart: unless-stopped

configs:
  userlist:
    file: ./userlist.txt
{{secrets}}

volumes:
  data: {}

networks:
  internal:
    ipam:
      config: [{ subnet: 10.77.0.0/24 }]
