#!/bin/sh
# Content-Security-Policy in Chromium: does a nonce for <style> elements change anything for style attributes?
#
# One would guess: no. With `style-src 'unsafe-inline'` all style attributes apply. A nonce permits one <style> element, and
# an attribute cannot have a nonce, so that adding `'nonce-…'` to the directive should leave attributes as they were.
#
# What happens: every style attribute of the page is blocked. Beside a nonce, `'unsafe-inline'` is ignored for attributes as
# well. A framework that adds nonces switches off what `'unsafe-inline'` was set for, and only on pages with an inline
# element. With `style-src-attr 'unsafe-inline'` beside the nonce, attributes apply.
#
# Usage: findings/chromium-nonce-and-style-attributes.sh (needs npm, and a Chromium that the variable CHROMIUM names or
# that is chromium-headless-shell, chromium or google-chrome on PATH). Exits with 1 if it behaves otherwise.
set -eu
browser=${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save playwright-core@1.65.1

cat > check.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const expected = {
  "style-src 'unsafe-inline'": 'rgb(1, 2, 3)',
  "style-src 'unsafe-inline' 'nonce-a'": 'rgb(0, 0, 0)',
  "style-src 'unsafe-inline' 'nonce-a'; style-src-attr 'unsafe-inline'": 'rgb(1, 2, 3)',
}
let policy = ''
const server = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html')
  response.setHeader('Content-Security-Policy', policy)
  response.end('<!doctype html><title>a</title><p style="color: rgb(1, 2, 3)">a</p>')
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const browser = await chromium.launch({
  executablePath: process.argv[2],
  chromiumSandbox: process.getuid?.() !== 0,
})
let isRight = true
for (const [header, colour] of Object.entries(expected)) {
  policy = header
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  const found = await page.evaluate("getComputedStyle(document.querySelector('p')).color")
  console.log(`Chromium ${browser.version()}, ${header}: ${found}`)
  if (found !== colour) isRight = false
}
await browser.close()
server.close()
if (!isRight) process.exit(1)
SCRIPT
node check.mjs "$browser" || { echo 'The behaviour has changed.'; exit 1; }
