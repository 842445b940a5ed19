# These keys apply to every environment. A section named development, test, staging or production overrides them.
# The database is the PostgreSQL server in DATABASE_URL, or else the embedded one in db/data.
production:
  secretKeyBase: ${SECRET_KEY_BASE:-}
  server:
    hosts: ${HOSTS:-}
