#!/bin/sh
# HTML: is a page the same after it was parsed and serialized, if nothing was changed?
#
# One would guess: yes, at least after the first time. Tools rewrite pages in this way, and `element.innerHTML` is assigned
# to itself.
#
# What happens: <pre> and <textarea> lose a line break each time. The parser drops the first line break of their content,
# and the serializer of the standard does not write it again. Content with three line breaks at its start has none after
# three rounds. linkedom does not drop it, so that its text has one line break more than that of a browser.
#
# Usage: findings/html-line-breaks-in-pre.sh (needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save parse5@8.1.1 cheerio@1.2.0 linkedom@0.18.15

cat > check.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { parseFragment, serialize } from 'parse5'
import { load } from 'cheerio'
import { parseHTML } from 'linkedom'

const rounds = {
  parse5: (html) => serialize(parseFragment(html)),
  cheerio: (html) => load(html, null, false).html(),
  linkedom: (html) => parseHTML(`<html><body>${html}</body></html>`).document.body.innerHTML,
}
const page = '<pre>\n\n\na</pre>'
const expected = {
  parse5: ['<pre>\n\na</pre>', '<pre>\na</pre>', '<pre>a</pre>'],
  cheerio: ['<pre>\n\na</pre>', '<pre>\na</pre>', '<pre>a</pre>'],
  linkedom: [page, page, page],
}
let isRight = true
for (const [name, round] of Object.entries(rounds)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  let html = page
  const found = expected[name].map(() => (html = round(html)))
  console.log(`${name} ${version}: ${[page, ...found].map((one) => JSON.stringify(one)).join(' → ')}`)
  if (JSON.stringify(found) !== JSON.stringify(expected[name])) isRight = false
}
if (!isRight) process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
