#!/bin/sh
# libpg-query: does it parse every statement that PostgreSQL parses?
#
# One would guess: yes, because it is PostgreSQL's own parser, compiled to WebAssembly.
#
# What happens: a string that goes on in the next line may have a comment at the end of the first line. PostgreSQL 15 and 18
# (here PGlite) return `ab` for `select 'a' -- c` and `'b'` in the next line. libpg-query 18.1.5 says `syntax error at or near
# "'b'"`: its lexer returns comments as tokens, for its function `scan`, and a comment ends the string. So it must not decide
# whether a text is SQL. Without the comment both return `ab`.
#
# Usage: findings/libpg-query-continued-strings.sh (needs Node 20 and npm). Exits with 1 if something else happens.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > check.mjs <<'SCRIPT'
import { PGlite } from '@electric-sql/pglite'
import { loadModule, parse } from 'libpg-query'

await loadModule()
const database = await PGlite.create()
for (const sql of ["select 'a'\n'b' as text", "select 'a' -- c\n'b' as text"]) {
  const { rows } = await database.query(sql)
  const parsed = await parse(sql).then(
    () => 'parsed',
    (error) => error.message,
  )
  console.log(`${JSON.stringify(sql)}: PostgreSQL ${rows[0].text}, libpg-query ${parsed}`)
}
await database.close()
SCRIPT

npm install --silent --no-save libpg-query@18.1.5 @electric-sql/pglite@0.5.16
seen=$(node check.mjs)
printf '%s\n' "$seen"
expected=$(cat <<'LINES'
"select 'a'\n'b' as text": PostgreSQL ab, libpg-query parsed
"select 'a' -- c\n'b' as text": PostgreSQL ab, libpg-query syntax error at or near "'b'"
LINES
)
[ "$seen" = "$expected" ] || {
  echo "expected: $expected"
  exit 1
}
