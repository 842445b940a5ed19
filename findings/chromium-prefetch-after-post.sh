#!/bin/sh
# Speculation rules in Chromium: does a visitor who saves a form see the page from before the save?
#
# One would guess: no. A prefetch is for a click on a link. The browser follows the redirect after a POST with a new request,
# above all if the page is `Cache-Control: no-store` and the prefetch is older than the write.
#
# What happens: Chromium answers the redirect with the prefetched page. A form at /edit with a link to /record, and rules with
# the eagerness `immediate`, shows the old record after every save, whether the redirect is a 302 or a 303. The server gets
# no request for it. `Clear-Site-Data: "prefetchCache"` in the redirect makes Chromium load the page.
#
# Usage: findings/chromium-prefetch-after-post.sh (needs npm, and a Chromium that the variable CHROMIUM names or that is
# chromium-headless-shell, chromium or google-chrome on PATH). Exits with 1 if it behaves otherwise.
set -eu
browser=${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v google-chrome)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save playwright-core@1.65.1

cat > check.mjs <<'SCRIPT'
import { createServer } from 'node:http'
import { chromium } from 'playwright-core'

const cases = [
  { status: 302, headers: {}, expected: 'old' },
  { status: 303, headers: {}, expected: 'old' },
  { status: 303, headers: { 'Clear-Site-Data': '"prefetchCache"' }, expected: 'new' },
]
const rules = '{"prefetch": [{"where": {"href_matches": "/*"}, "eagerness": "immediate"}]}'
let record, current, prefetched
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    record = 'new'
    response.writeHead(current.status, { Location: '/record', ...current.headers }).end()
    return
  }
  response.setHeader('Content-Type', 'text/html')
  response.setHeader('Cache-Control', 'no-store')
  if (request.url !== '/edit') response.end(`<!doctype html><title>a</title><p>${record}</p>`)
  else
    response.end(
      `<!doctype html><title>a</title><script type="speculationrules">${rules}</script>` +
        '<a href="/record">record</a><form method="post" action="/record"><button>Save</button></form>',
    )
  if (request.headers['sec-purpose'] !== undefined) response.once('finish', prefetched)
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const browser = await chromium.launch({
  executablePath: process.argv[2],
  chromiumSandbox: process.getuid?.() !== 0,
})
let isRight = true
for (current of cases) {
  record = 'old'
  const prefetch = new Promise((resolve) => (prefetched = resolve))
  const page = await (await browser.newContext()).newPage()
  await page.goto(`http://127.0.0.1:${server.address().port}/edit`)
  await prefetch
  await page.click('button')
  const shown = await page.textContent('p')
  const headers = JSON.stringify(current.headers)
  console.log(`Chromium ${browser.version()}, ${current.status} ${headers}: the ${shown} record`)
  if (shown !== current.expected) isRight = false
  await page.context().close()
}
await browser.close()
server.close()
if (!isRight) process.exit(1)
SCRIPT
node check.mjs "$browser" || { echo 'The behaviour has changed.'; exit 1; }
