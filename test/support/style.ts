/** The rules of a single file: its name, its opening, its length, what it exports; and the error codes. */
import { posix } from 'node:path'
import type { House, Module } from './house.ts'
import { tower } from './tower.ts'

const lengthLimit = 250
const all = (house: House) => [...house.values()]
const sources = (house: House) => all(house).filter((module) => !module.isTest)
const baseName = (path: string) => posix.basename(path).replace(/(\.(test|fixture))?\.ts$/, '')

/** A test is named after what it tests; every other file says in its first sentence what it is. */
export function unopened(house: House): string[] {
  const opens = ({ text }: Module) => /^(#!.*\n)?\/\*\* [\s\S]*?\*\//.test(text)
  return sources(house)
    .filter((module) => !opens(module))
    .map(({ path }) => `${path}:1: does not open with a sentence in /** */`)
}

/** A face opens with the caption of its room: `/** http: request and response …`. */
export function uncaptioned(house: House): string[] {
  return sources(house)
    .filter(({ isFace, room, text }) => isFace && !text.startsWith(`/** ${room}: `))
    .map(
      ({ path, room }) => `${path}:1: the face does not open with its caption, /** ${room}: … */`,
    )
}

export function badlyNamed(house: House): string[] {
  const shelves = /^(types|utils?|helpers?|common|misc|shared|index)$|^utils?-|-utils?$/
  return all(house).flatMap(({ path, room, isFace }) => {
    const name = baseName(path)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [`${path}: the name is not kebab-case`]
    if (isFace || path === `src/${room}.test.ts`) return []
    if (name === room) return [`${path}: has its room's own name; that name is the face's`]
    return shelves.test(name) ? [`${path}: the name says nothing of what is inside`] : []
  })
}

export function tooLong(house: House): string[] {
  return sources(house)
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > lengthLimit)
    .map(({ path, lines }) => `${path}: ${lines} lines, more than ${lengthLimit}: split it`)
}

export function defaultExports(house: House): string[] {
  return all(house)
    .filter((module) => module.hasDefaultExport)
    .map(({ path }) => `${path}: has a default export; exports are named`)
}

/** Files inside a room that only pass on what their neighbours declare. */
export function barrels(house: House): string[] {
  return sources(house)
    .filter(({ isFace, declared, passed }) => !isFace && declared.length === 0 && passed.length > 0)
    .filter(({ passed }) => passed.every(({ from }) => house.has(from)))
    .map(({ path }) => `${path}: is a barrel; only the room's face passes on`)
}

/** What a face passes on has a docstring where it is declared. */
export function undocumented(house: House): string[] {
  const missing = (from: string, name: string) => {
    const shown = house.get(from)?.declared.filter((one) => name === '*' || one.name === name) ?? []
    return shown.filter((one) => !one.documented).map((one) => `${from}:${one.line}: ${one.name}`)
  }
  const faces = sources(house).filter((module) => module.isFace)
  const found = faces.flatMap(({ path, declared, passed }) => [
    ...declared.flatMap((one) => missing(path, one.name)),
    ...passed.flatMap(({ from, name }) => missing(from, name)),
  ])
  return [...new Set(found)].map((place) => `${place} is shown by a face and has no docstring`)
}

const codesFile = 'src/base/error-codes.ts'

/** The closed list, as it stands in base/error-codes.ts. */
export function errorCodes(house: House): string[] {
  const text = house.get(codesFile)?.text ?? ''
  return [...text.matchAll(/^ {2}\| '([^']+)'$/gm)].map((match) => match[1] ?? '')
}

/** Codes out of order, not named after a room, or that nothing throws. */
export function idleCodes(house: House): string[] {
  const codes = errorCodes(house)
  const throwers = sources(house).filter(({ path }) => path !== codesFile)
  const idle = (code: string) => !throwers.some(({ text }) => text.includes(`'${code}'`))
  const misnamed = (code: string) =>
    !/^[a-z0-9]+\.[a-z0-9]+(-[a-z0-9]+)*$/.test(code) ||
    !tower.includes(code.split('.', 1)[0] ?? '')
  return [
    ...codes
      .filter((code, at) => at > 0 && (codes[at - 1] ?? '') >= code)
      .map((code) => `${codesFile}: ${code} is out of order`),
    ...codes.filter(misnamed).map((code) => `${codesFile}: ${code} is not named room.what`),
    ...codes.filter(idle).map((code) => `${codesFile}: nothing throws ${code}`),
  ]
}

/** Codes that docs/errors.md does not explain, and explanations of codes that are gone. A row is `| \`code\` | …`. */
export function unexplainedCodes(house: House, page: string): string[] {
  const codes = errorCodes(house)
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|\n]*\S) *\| ([^|\n]*\S) *\|/gm)]
  const explained = new Set(rows.map((row) => row[1] ?? ''))
  return [
    ...codes
      .filter((code) => !explained.has(code))
      .map((code) => `docs/errors.md: no row for ${code}`),
    ...[...explained]
      .filter((code) => !codes.includes(code))
      .map((code) => `docs/errors.md: ${code} is no code`),
  ]
}
