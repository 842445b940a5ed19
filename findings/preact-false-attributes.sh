#!/bin/sh
# Preact on the server: does `contenteditable={false}` print what it sets in the browser?
#
# One would guess: yes, `contenteditable="false"`, as `draggable={false}` and `spellcheck={false}` print "false". For these
# attributes a missing value is not false: an element inherits `contenteditable` from its parent.
#
# What happens with preact-render-to-string 6.8.2: `draggable`, `spellcheck` and `aria-…` print "false". `contenteditable`,
# `translate`, `writingsuggestions`, and `spellCheck` with a capital letter, are left out. In the page from the server, a
# part that should be protected in an editable element can be edited until the scripts have run.
#
# Usage: findings/preact-false-attributes.sh (needs npm). Exits with 1 if the version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save preact@11.2.0 preact-render-to-string@6.8.2

cat > check.mjs <<'SCRIPT'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'

const expected = {
  draggable: '<p draggable="false"></p>',
  spellcheck: '<p spellcheck="false"></p>',
  'aria-hidden': '<p aria-hidden="false"></p>',
  spellCheck: '<p></p>',
  contenteditable: '<p></p>',
  contentEditable: '<p></p>',
  translate: '<p></p>',
  writingsuggestions: '<p></p>',
}
let isRight = true
for (const [name, html] of Object.entries(expected)) {
  const found = renderToString(h('p', { [name]: false }))
  console.log(`preact 11.2.0, preact-render-to-string 6.8.2: ${name}={false} prints ${found}`)
  if (found !== html) isRight = false
}
if (!isRight) process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
