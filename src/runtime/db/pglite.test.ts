/** New folders of embedded databases are copies of a template. Other suites test that the engine opens them. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { engineVersion, openCluster } from './pglite.ts'

let root: string
let created: string[]
const cache = () => join(root, 'cache/fw/databases')
const template = () => join(cache(), `pglite-${engineVersion()}`)
const inRoot = (name: string) => join(root, name)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fw-cluster-'))
  created = []
  vi.stubEnv('XDG_CACHE_HOME', join(root, 'cache'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

/** A stand-in for the engine: creates a database in an empty folder, opens an existing one, rejects a damaged one. */
async function engine(folder: string): Promise<PGlite> {
  const file = join(folder, 'PG_VERSION')
  if (!existsSync(file)) {
    created.push(folder)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '18')
  }
  if (readFileSync(file, 'utf8') !== '18') throw new Error('broken')
  return { close: () => Promise.resolve() } as PGlite
}

test('the first database becomes the template, later ones are copies, and an existing folder is unchanged', async () => {
  await openCluster(inRoot('a'), engine)
  expect(readdirSync(cache())).toEqual([`pglite-${engineVersion()}`])
  writeFileSync(join(inRoot('a'), 'rows'), '1')
  await openCluster(inRoot('b'), engine)
  await openCluster(inRoot('a'), engine)
  expect(created).toHaveLength(1)
  expect(readdirSync(inRoot('a'))).toEqual(['PG_VERSION', 'rows'])
  expect(readdirSync(inRoot('b'))).toEqual(['PG_VERSION'])
  expect(readdirSync(root)).toEqual(['a', 'b', 'cache'])
})

test('a damaged template is deleted, and the engine creates the database', async () => {
  await openCluster(inRoot('a'), engine)
  writeFileSync(join(template(), 'PG_VERSION'), 'spoilt')
  await openCluster(inRoot('b'), engine)
  expect(created.at(-1)).toBe(inRoot('b'))
  expect(existsSync(template())).toBe(false)
})

test('without a cache folder the engine creates the database', async () => {
  writeFileSync(join(root, 'cache'), 'no folder')
  await openCluster(inRoot('a'), engine)
  expect(created).toEqual([inRoot('a')])
})

test('the engine fills an existing empty folder, such as a link or a mounted volume', async () => {
  await openCluster(inRoot('a'), engine)
  mkdirSync(inRoot('volume'))
  symlinkSync(inRoot('volume'), inRoot('link'))
  await openCluster(inRoot('link'), engine)
  expect(created.at(-1)).toBe(inRoot('link'))
  expect(lstatSync(inRoot('link')).isSymbolicLink()).toBe(true)
  expect(readdirSync(inRoot('volume'))).toEqual(['PG_VERSION'])
})

test('an error of the engine is passed on', async () => {
  mkdirSync(inRoot('a'))
  writeFileSync(join(inRoot('a'), 'PG_VERSION'), 'other')
  await expect(openCluster(inRoot('a'), engine)).rejects.toThrow('broken')
  expect(readdirSync(inRoot('a'))).toEqual(['PG_VERSION'])
})
