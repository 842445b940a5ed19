/** An installation without the embedded engine, which is an optional dependency. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const hooks = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@electric-sql/pglite') return next(specifier, context)
    throw Object.assign(new Error("Cannot find package '@electric-sql/pglite'"), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})`)}`

function execute(code: string) {
  const args = [
    '--conditions=fwjs-source',
    '--import',
    hooks,
    '--input-type=module',
    '--eval',
    code,
  ]
  return spawnSync(process.execPath, args, { encoding: 'utf8', cwd: resolve('.') })
}

test('a server needs no engine; the embedded database names both remedies', () => {
  const root = mkdtempSync(join(tmpdir(), 'fw-engine-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const { stdout, stderr } = execute(`
    import { openDatabase } from ${JSON.stringify(resolve('src/db.ts'))}
    const server = await openDatabase({ kind: 'postgres', url: 'postgres://postgres@127.0.0.1:1/none' })
    await server.close()
    await openDatabase({ kind: 'pglite', folder: ${JSON.stringify(join(root, 'data'))} }).catch(({ code, message }) => console.log(code, message))
  `)
  expect(stdout + stderr).toMatch(
    /^db\.engine-missing The embedded database is not installed\. Set DATABASE_URL .* npm install @electric-sql\/pglite\n$/m,
  )
})

test('the package installs the engine unless optional dependencies are omitted', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>
  expect(manifest['optionalDependencies']).toHaveProperty('@electric-sql/pglite')
  expect(manifest['dependencies']).not.toHaveProperty('@electric-sql/pglite')
})
