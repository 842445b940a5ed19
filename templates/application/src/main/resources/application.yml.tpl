# These keys apply to every environment. A section named development, test, staging or production overrides them.
{{databaseLines}}
{{localeLines}}
production:
  secretKeyBase: ${SECRET_KEY_BASE:-}
  server:
    hosts: ${HOSTS:-}
