/** generateConfigKeys: with the generated file, the compiler refuses unknown keys. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { generateConfigKeys } from './config-keys.ts'

const root = mkdtempSync(join(tmpdir(), 'fw-config-keys-'))
afterAll(() => rmSync(root, { recursive: true }))

const application = `
a: { b: 1 }
production: { a: { c: "\${UNSET}" } }
preview: { d: 1 }
`
const schema = { http: { port: { kind: 'int', doc: 'Port' } } } as const

const program = `
import { FwConfig } from 'fwjs'
FwConfig.intConfigValue('a.b')
FwConfig.stringConfigValue('a.c')
FwConfig.intConfigValue('http.port')
FwConfig.getConfigValue('a')
// @ts-expect-error unknown key
FwConfig.stringConfigValue('a.x')
`
const loose = `
import { FwConfig } from 'fwjs'
FwConfig.stringConfigValue('any.key')
`

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

async function compile(...files: string[]): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'esnext',
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    typeRoots: [resolve('node_modules/@types')],
    types: ['node'],
    paths: { fwjs: [resolve('src/runtime/config.ts')] },
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  const tsc = [resolve('node_modules/typescript/bin/tsc'), '-p', root]
  const { stdout } = await promisify(execFile)(process.execPath, tsc).catch(
    (error: unknown) => error as { stdout: string },
  )
  return stdout
}

test('keys of every environment and of a schema, and no others', async () => {
  write('package.json', '{"type":"module"}')
  write('src/main/resources/application.yml', application)
  const text = generateConfigKeys({ root, env: 'preview' }, schema)
  const keys = [...text.matchAll(/"(.*)": true/g)].map(([, key]) => key)
  expect(keys).toEqual(['a', 'a.b', 'a.c', 'd', 'http.port'])
  write('config.ts', text)
  write('main.ts', program)
  write('loose.ts', loose)
  expect(await compile('config.ts', 'main.ts')).toBe('')
  expect(await compile('loose.ts')).toBe('')
})
