#!/bin/sh
# TypeScript's language server: can a document import another one that exists only in the editor?
#
# One would guess: yes. `tsc --lsp` checks a document below the folders of `include` that has no file, and completes in it.
#
# What happens: it depends on a folder. The import of an unsaved module fails with TS2307 while the folder of that module does not
# exist on the disk. When an empty folder is created there, and nothing else, the import works.
#
# Usage: findings/typescript-unsaved-module.sh (needs npm). Exits with 1 if a version behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save typescript@7.0.2 vscode-jsonrpc@10.0.0

cat > check.mjs <<'SCRIPT'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const { createMessageConnection } = createRequire(import.meta.url)('vscode-jsonrpc/node')
const options = { module: 'nodenext', allowImportingTsExtensions: true, noEmit: true }
writeFileSync('package.json', '{ "type": "module" }')
writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['made'] }))
const uri = (file) => pathToFileURL(file).href

async function errors() {
  const args = ['node_modules/typescript/bin/tsc', '--lsp', '--stdio']
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const server = createMessageConnection(child.stdout, child.stdin)
  server.onRequest(() => null)
  server.onUnhandledNotification(() => {})
  server.listen()
  const capabilities = { textDocument: { diagnostic: {} } }
  const workspaceFolders = [{ uri: uri('.'), name: 'a' }]
  await server.sendRequest('initialize', { processId: null, rootUri: uri('.'), workspaceFolders, capabilities })
  await server.sendNotification('initialized', {})
  const texts = { 'made/one.ts': 'export const one = 1\n', 'made/two.ts': "import { one } from './one.ts'\none.toFixed()\n" }
  for (const [file, text] of Object.entries(texts)) {
    const textDocument = { uri: uri(file), languageId: 'typescript', version: 1, text }
    await server.sendNotification('textDocument/didOpen', { textDocument })
  }
  const textDocument = { uri: uri('made/two.ts') }
  const { items } = await server.sendRequest('textDocument/diagnostic', { textDocument })
  server.dispose()
  child.kill()
  return items.map(({ code }) => code).join()
}

const without = await errors()
mkdirSync('made')
const withFolder = await errors()
console.log(`typescript 7.0.2: without the folder ${without || 'no error'}, with it ${withFolder || 'no error'}`)
if (without !== '2307' || withFolder !== '') process.exit(1)
SCRIPT
node check.mjs || { echo 'The behaviour has changed.'; exit 1; }
