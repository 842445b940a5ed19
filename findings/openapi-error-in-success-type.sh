#!/bin/sh
# OpenAPI generators: is the `default` response of an operation with a 200 the type of its errors?
#
# One would guess: yes. The specification says that `default` describes the statuses that are not listed, and documents use it
# for errors. A function that throws for errors returns the type of the 200.
#
# What happens: openapi-typescript-codegen gives the function the type `Note | Problem`, although it throws for every status of
# an error, so that a program must rule the error out in the success. oazapfts gives `default` the status `number`, which
# contains 200: after `status === 200` the data can still be the error, and its own function `ok`, which checks the
# status, is needed. openapi-typescript separates both.
#
# Usage: findings/openapi-error-in-success-type.sh (needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-save openapi-typescript-codegen@0.31.0 oazapfts@7.5.0 @oazapfts/runtime@1.2.0 \
  openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3

cat > openapi.json <<'JSON'
{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/note":{"get":{"operationId":"showNote","tags":["notes"],
"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Note"}}}},
"default":{"description":"An error.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}}},
"components":{"schemas":{"Note":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},
"Problem":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}}}}
JSON
node_modules/.bin/openapi --input openapi.json --output codegen > /dev/null
node_modules/.bin/oazapfts openapi.json oazapfts.ts > /dev/null
node_modules/.bin/openapi-typescript openapi.json -o schema.d.ts > /dev/null 2>&1
cat > with-codegen.ts <<'SCRIPT'
import { NotesService } from './codegen'
export const text: string = (await NotesService.showNote()).text
SCRIPT
cat > with-oazapfts.ts <<'SCRIPT'
import { showNote } from './oazapfts'
const response = await showNote()
export const text: string = response.status === 200 ? response.data.text : ''
SCRIPT
cat > with-fetch.ts <<'SCRIPT'
import createClient from 'openapi-fetch'
import type { paths } from './schema'
const { data } = await createClient<paths>().GET('/note')
export const text: string = data === undefined ? '' : data.text
SCRIPT
check() {
  if node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module esnext --moduleResolution bundler --target es2022 \
    --lib es2022,dom,dom.iterable "$1.ts" > log 2>&1; then seen='compiles'
  elif grep -q "Property 'text' does not exist on type '\(Problem\|Note | Problem\|Problem | Note\)'" log; then seen='an error in the success'
  else cat log; exit 1; fi
  echo "$2: $seen"
  [ "$seen" = "$3" ] || exit 1
}
check with-codegen 'openapi-typescript-codegen 0.31.0' 'an error in the success'
check with-oazapfts 'oazapfts 7.5.0' 'an error in the success'
check with-fetch 'openapi-typescript 7.13.0' 'compiles'
