/** New folders of embedded databases are copies of an empty one; that the engine opens them, every other suite shows. */
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
import { engineVersion, openCluster } from './new-cluster.ts'

let place: string
let made: string[]
const cache = () => join(place, 'cache/fw/databases')
const kept = () => join(cache(), `pglite-${engineVersion()}`)
const inPlace = (name: string) => join(place, name)

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'fw-cluster-'))
  made = []
  vi.stubEnv('XDG_CACHE_HOME', join(place, 'cache'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true, force: true })
})

/** Does as the engine does: makes a database where there is none, opens what is there, refuses what is broken. */
async function engine(folder: string): Promise<PGlite> {
  const file = join(folder, 'PG_VERSION')
  if (!existsSync(file)) {
    made.push(folder)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '18')
  }
  if (readFileSync(file, 'utf8') !== '18') throw new Error('broken')
  return { close: () => Promise.resolve() } as PGlite
}

test('the first one is kept, each later one is a copy, and a folder that is there stays as it is', async () => {
  await openCluster(inPlace('a'), engine)
  expect(readdirSync(cache())).toEqual([`pglite-${engineVersion()}`])
  writeFileSync(join(inPlace('a'), 'rows'), '1')
  await openCluster(inPlace('b'), engine)
  await openCluster(inPlace('a'), engine)
  expect(made).toHaveLength(1)
  expect(readdirSync(inPlace('a'))).toEqual(['PG_VERSION', 'rows'])
  expect(readdirSync(inPlace('b'))).toEqual(['PG_VERSION'])
  expect(readdirSync(place)).toEqual(['a', 'b', 'cache'])
})

test('a kept one that is spoilt is given up, and the engine makes the database itself', async () => {
  await openCluster(inPlace('a'), engine)
  writeFileSync(join(kept(), 'PG_VERSION'), 'spoilt')
  await openCluster(inPlace('b'), engine)
  expect(made.at(-1)).toBe(inPlace('b'))
  expect(existsSync(kept())).toBe(false)
})

test('where nothing can be kept, the engine makes the database itself', async () => {
  writeFileSync(join(place, 'cache'), 'no folder')
  await openCluster(inPlace('a'), engine)
  expect(made).toEqual([inPlace('a')])
})

test('an empty folder that is there stays itself, be it a link or a volume: the engine fills it', async () => {
  await openCluster(inPlace('a'), engine)
  mkdirSync(inPlace('volume'))
  symlinkSync(inPlace('volume'), inPlace('link'))
  await openCluster(inPlace('link'), engine)
  expect(made.at(-1)).toBe(inPlace('link'))
  expect(lstatSync(inPlace('link')).isSymbolicLink()).toBe(true)
  expect(readdirSync(inPlace('volume'))).toEqual(['PG_VERSION'])
})

test('what the engine refuses, it refuses still', async () => {
  mkdirSync(inPlace('a'))
  writeFileSync(join(inPlace('a'), 'PG_VERSION'), 'other')
  await expect(openCluster(inPlace('a'), engine)).rejects.toThrow('broken')
  expect(readdirSync(inPlace('a'))).toEqual(['PG_VERSION'])
})
