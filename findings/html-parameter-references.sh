#!/bin/sh
# HTML: does `href="?a=1&reg_id=2"` link to `?a=1&reg_id=2`?
#
# One would guess: yes. `&reg` without a semicolon is an old character reference, but in attributes HTML keeps what looks
# like a parameter: `?a=1&reg=2` and `?a=1&region=2` stay as they are written.
#
# What happens in every parser: the exception covers only `=`, letters and digits after the name. An underscore, a bracket
# or a hyphen ends the reference, so that `&reg_id=2` becomes `®_id=2` and `&para[]=2` becomes `¶[]=2`. In text, which has
# no exception, even `&region` becomes `®ion`.
#
# Usage: findings/html-parameter-references.sh (needs npm). Exits with 1 if a parser behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save parse5@8.1.1 htmlparser2@12.0.0 linkedom@0.18.15

cat > check.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { parseFragment } from 'parse5'
import { parseDocument } from 'htmlparser2'
import { parseHTML } from 'linkedom'

const parsers = {
  parse5: (html) => parseFragment(html).childNodes[0].attrs[0].value,
  htmlparser2: (html) => parseDocument(html).children[0].attribs.href,
  linkedom: (html) => parseHTML(`<html><body>${html}`).document.querySelector('a').getAttribute('href'),
}
const expected = {
  '?a=1&reg=2': '?a=1&reg=2',
  '?a=1&region=2': '?a=1&region=2',
  '?a=1&reg_id=2': '?a=1®_id=2',
  '?a=1&para[]=2': '?a=1¶[]=2',
  '?a=1&copy-id=2': '?a=1©-id=2',
}
let isRight = true
for (const [name, parse] of Object.entries(parsers)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  for (const [written, read] of Object.entries(expected)) {
    const found = parse(`<a href="${written}">${written}</a>`)
    console.log(`${name} ${version}: ${written} is read as ${found}`)
    if (found !== read) isRight = false
  }
}
const text = parseFragment('<p>&region</p>').childNodes[0].childNodes[0].value
console.log(`parse5, text: &region is read as ${text}`)
if (text !== '®ion') isRight = false
if (!isRight) process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
