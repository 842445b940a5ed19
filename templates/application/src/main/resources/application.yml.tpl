# Keys here hold for every environment; a section named development, test, staging or production lies over them.
# The database is a PostgreSQL server when DATABASE_URL is set, else the embedded one in db/data.
production:
  secretKeyBase: ${SECRET_KEY_BASE:-}
  server:
    hosts: ${HOSTS:-}
