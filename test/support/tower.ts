/** The tower of rooms, the packages each room may use, and the rules of who imports whom. */
import type { House, Module } from './house.ts'

/** Top to bottom: a room imports only rooms that stand below it. */
export const tower: readonly string[] = [
  'cli',
  'generate',
  'testing',
  'index',
  'server',
  'openapi',
  'app',
  'dev',
  'resource',
  'controller',
  'feature',
  'action',
  'session',
  'validation',
  'model',
  'db',
  'i18n',
  'params',
  'view',
  'routing',
  'http',
  'config',
  'base',
]

const anywhere = tower

/** Which rooms may import a package from outside. What is not listed here is not imported at all. */
export const outside: Readonly<Record<string, readonly string[]>> = {
  'node:async_hooks': anywhere,
  'node:buffer': anywhere,
  'node:crypto': anywhere,
  'node:diagnostics_channel': anywhere,
  'node:events': anywhere,
  'node:os': anywhere,
  'node:path': anywhere,
  'node:perf_hooks': anywhere,
  'node:process': anywhere,
  'node:stream': anywhere,
  'node:timers': anywhere,
  'node:url': anywhere,
  'node:util': anywhere,
  'node:module': ['testing', 'cli', 'dev', 'app', 'view', 'db'],
  'node:fs': [
    'cli',
    'generate',
    'testing',
    'dev',
    'openapi',
    'app',
    'db',
    'view',
    'i18n',
    'http',
    'config',
  ],
  'node:zlib': ['app', 'server', 'http'],
  'node:net': ['server', 'http', 'db', 'cli'],
  'node:tls': ['server', 'http', 'db'],
  'node:http': ['server'],
  'node:cluster': ['server'],
  'node:worker_threads': ['server', 'dev', 'testing', 'view'],
  'node:child_process': ['cli', 'generate', 'dev', 'testing', 'view'],
  'node:readline': ['cli'],
  'node:repl': ['cli'],
  'temporal-polyfill': ['base'],
  yaml: ['cli', 'config', 'i18n', 'generate'],
  'intl-messageformat': ['i18n'],
  '@formatjs/intl-localematcher': ['i18n'],
  cookie: ['http'],
  negotiator: ['http'],
  'content-disposition': ['http'],
  'content-type': ['http'],
  fresh: ['http', 'app'],
  'range-parser': ['http', 'app'],
  vary: ['http'],
  'proxy-addr': ['http', 'server'],
  saxes: ['http'],
  '@standard-schema/spec': ['validation'],
  '@jridgewell/gen-mapping': ['view'],
  'node-html-parser': ['testing'],
  pug: ['view'],
  pg: ['db', 'model'],
  '@electric-sql/pglite': ['db', 'model'],
  kysely: ['db', 'model'],
  '@redis/client': ['session'],
  'playwright-core': ['testing'],
  pino: ['base'],
  vite: ['app', 'dev'],
  typescript: ['cli'],
  commander: ['cli'],
  '@clack/prompts': ['cli'],
  'oxc-parser': ['generate'],
  'magic-string': ['generate'],
}

const sources = (house: House) => [...house.values()].filter((module) => !module.isTest)
const roomsAway = (from: string, to: string) => tower.indexOf(to) - tower.indexOf(from)

/** Every file belongs to a room of the tower, and every room of the house has its face. */
export function strangers(house: House): string[] {
  const rooms = new Set([...house.values()].map((module) => module.room))
  const unknown = [...rooms].filter((room) => !tower.includes(room))
  const faceless = [...rooms].filter((room) => tower.includes(room) && !house.has(`src/${room}.ts`))
  return [
    ...unknown.map((room) => `src/${room}: not a room of the tower`),
    ...faceless.map((room) => `src/${room}: the room has no face src/${room}.ts`),
  ]
}

/** Where the first block of ARCHITECTURE.md draws another tower than the rooms of the house, top to bottom. */
export function misdrawn(house: House, page: string): string[] {
  const drawing = /^```\n([\s\S]*?)^```/m.exec(page)?.[1] ?? ''
  const drawn = [...drawing.matchAll(/^[a-z0-9]+/gm)].map(String).join(', ')
  const built = tower.filter((room) => house.has(`src/${room}.ts`)).join(', ')
  return drawn === built ? [] : [`ARCHITECTURE.md draws ${drawn}; the rooms are ${built}`]
}

/** Imports that lead up the tower, types included. Tests may drive their room from above. */
export function climbing(house: House): string[] {
  return sources(house).flatMap(({ path, room, imports }) =>
    imports
      .map(({ to, line }) => ({ line, room: house.get(to)?.room }))
      .filter((target) => target.room !== undefined && roomsAway(room, target.room) < 0)
      .map(
        (target) => `${path}:${target.line}: ${room} imports ${target.room}, which stands above it`,
      ),
  )
}

/** Imports of another room that do not go through its face. Tests may share fixtures. */
export function trespassing(house: House): string[] {
  const open = (target: Module, isTest: boolean) => target.isFace || (isTest && target.isTest)
  return [...house.values()].flatMap(({ path, room, isTest, imports }) =>
    imports
      .map(({ to, line }) => ({ to, line, target: house.get(to) }))
      .filter(({ target }) => target && target.room !== room && !open(target, isTest))
      .map(({ to, line }) => `${path}:${line}: imports ${to} past the face of its room`),
  )
}

/** Loops between files, types counted; each is told once, from its first file in the alphabet. */
export function loops(house: House): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const road: Module[] = []
  const visit = (module: Module) => {
    const from = road.indexOf(module)
    if (from >= 0) return void found.add(turned(road.slice(from).map(({ path }) => path)))
    if (done.has(module.path)) return
    road.push(module)
    for (const { to } of module.imports) {
      const next = house.get(to)
      if (next !== undefined) visit(next)
    }
    road.pop()
    done.add(module.path)
  }
  for (const module of house.values()) visit(module)
  return [...found]
}

function turned(loop: readonly string[]): string {
  const first = loop.indexOf([...loop].sort()[0] ?? '')
  const around = [...loop.slice(first), ...loop.slice(0, first)]
  return [...around, around[0]].join(' -> ')
}

/** Packages from outside that the table above does not give to the room. */
export function smuggling(house: House): string[] {
  return sources(house).flatMap(({ path, room, imports }) =>
    imports
      .filter(({ to, outside: isOutside }) => isOutside && !(outside[to] ?? []).includes(room))
      .map(
        ({ to, line }) =>
          `${path}:${line}: ${to} does not belong into ${room} (test/support/tower.ts)`,
      ),
  )
}
