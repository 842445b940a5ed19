#!/bin/sh
# openapi-client-axios-typegen: does it matter whether a response stands in the operation or in `components`?
#
# One would guess: no. A `$ref` to `#/components/responses/Made` means the same as the response in its place, and both
# documents are valid.
#
# What happens: with a response whose content is XML or a text, the first document is generated and the second one ends with
# "The $ref targets root is not found". A shared response without any content is found, one with JSON as well.
#
# Usage: findings/openapi-shared-response-without-json.sh (needs npm). Exits with 1 if it behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save --prefix . openapi-client-axios-typegen@7.8.0

# Generates the types of a document whose response has the content, in the operation or shared.
try() {
  response='{"description":"Made."'$1'}'
  own=$response shared=
  [ "$2" = own ] || { own='{"$ref":"#/components/responses/Made"}'; shared=',"responses":{"Made":'$response'}'; }
  paths='"paths":{"/a":{"get":{"operationId":"a","responses":{"200":'$own'}}}}'
  components='"components":{"schemas":{"Note":{"type":"object"}}'$shared'}'
  echo '{"openapi":"3.1.0","info":{"title":"x","version":"1"},'$paths','$components'}' > openapi.json
  if node_modules/.bin/typegen openapi.json > log 2>&1; then seen=generated
  elif grep -q 'targets root is not found' log; then seen='not found'
  else cat log; exit 1; fi
  echo "openapi-client-axios-typegen 7.8.0, $2, content $3: $seen"
  [ "$seen" = "$4" ] || exit 1
}
xml=',"content":{"application/xml":{"schema":{"type":"string"}}}'
json=',"content":{"application/json":{"schema":{"type":"string"}}}'
try "$xml" own XML generated
try "$xml" shared XML 'not found'
try "$json" shared JSON generated
try '' shared none generated
