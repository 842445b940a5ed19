#!/bin/sh
# JSX: does `<div popover>` print the attribute `popover`, as it would in HTML?
#
# One would guess: yes. JSX passes `true` for an attribute without a value, and `<div hidden>` and `<div inert>` print the
# attribute in every library.
#
# What happens: three libraries print three pages. React prints no attribute at all, so that the element is always shown.
# Preact prints `popover`, the automatic kind. Hono prints `popover="true"`; no such kind exists, and browsers then use the
# manual kind, which a click beside it does not close. Only `popover=""` and `popover="auto"` mean the same in all three.
#
# Usage: findings/jsx-popover.sh (needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save react@19.3.1 react-dom@19.3.1 preact@11.2.0 preact-render-to-string@6.8.2 hono@4.13.19

cat > check.mjs <<'SCRIPT'
import { readFileSync } from 'node:fs'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { jsx } from 'hono/jsx'

console.error = () => {} // React's development build warns.
const libraries = {
  react: (props) => renderToStaticMarkup(createElement('div', props)),
  preact: (props) => renderToString(h('div', props)),
  hono: (props) => String(jsx('div', props)),
}
const expected = {
  react: ['<div hidden=""></div>', '<div></div>', '<div popover="auto"></div>'],
  preact: ['<div hidden></div>', '<div popover></div>', '<div popover="auto"></div>'],
  hono: ['<div hidden=""></div>', '<div popover="true"></div>', '<div popover="auto"></div>'],
}
let isRight = true
for (const [name, print] of Object.entries(libraries)) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  const found = [{ hidden: true }, { popover: true }, { popover: 'auto' }].map(print)
  console.log(`${name} ${version}: <div hidden>, <div popover>, <div popover="auto"> print ${found.join(', ')}`)
  if (found.join() !== expected[name].join()) isRight = false
}
if (!isRight) process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
