/**
 * Nanoseconds for one lookup with its parameters read, beside other routers on the same table:
 * `npm run bench -- routing`.
 */
import { parsePath, type RequestPath } from '../../src/http.ts'
import { compilePattern, RoutingTable } from '../../src/routing.ts'

/** Looks a path up and gives the length of what it found, so that nothing is optimised away. */
type Lookup<P = string> = (path: P) => number
type Make = (patterns: readonly string[]) => Promise<Lookup>

const rounds = 9
const batch = 100_000

/** A table of resources, ten routes of each shape: static, one parameter, three parameters. */
function patternsOf(count: number): readonly string[] {
  const patterns: string[] = []
  for (let i = 0; patterns.length < count; i++) {
    patterns.push(
      `/area${i}/items`,
      `/area${i}/items/:id`,
      `/area${i}/items/:id/parts/:part/notes/:note`,
    )
  }
  return patterns.slice(0, count)
}

const shapes: Readonly<Record<string, (i: number) => string>> = {
  static: (i) => `/area${i}/items`,
  'one param': (i) => `/area${i}/items/${1000 + i}`,
  'three params': (i) => `/area${i}/items/${1000 + i}/parts/abc${i}/notes/${i}`,
}

function fwLookup(patterns: readonly string[]): Lookup<RequestPath> {
  const entries = patterns.map((text, declared) => ({
    method: 'GET',
    matcher: compilePattern(text),
    order: 0,
    declared,
    hasCondition: false,
    target: ['id', 'part', 'note'].filter((name) => text.includes(`:${name}`)),
  }))
  const table = new RoutingTable(entries)
  return (path) => {
    const match = table.lookup('GET', path)!
    const names = match.target
    let length = 1
    for (let i = 0; i < names.length; i++) length += match.params.first(names[i]!)!.length
    return length
  }
}

type Params = Readonly<Record<string, string>>

function lengthOf(params: Params): number {
  let length = 1
  for (const name in params) length += params[name]!.length
  return length
}

// The peers may be missing, and their types with them.
// oxlint-disable typescript/no-explicit-any
async function peer(name: string): Promise<any> {
  return import(name)
}

const makers: Readonly<Record<string, Make>> = {
  'fw with parsePath': async (patterns) => {
    const lookup = fwLookup(patterns)
    return (path) => lookup(parsePath(path))
  },
  'find-my-way': async (patterns) => {
    const router = (await peer('find-my-way')).default()
    for (const pattern of patterns) router.on('GET', pattern, () => {})
    return (path) => lengthOf(router.find('GET', path).params)
  },
  memoirist: async (patterns) => {
    const router = new (await peer('memoirist')).Memoirist()
    for (const pattern of patterns) router.add('GET', pattern, pattern)
    return (path) => lengthOf(router.find('GET', path).params)
  },
  rou3: async (patterns) => {
    const { addRoute, createRouter, findRoute } = await peer('rou3')
    const router = createRouter()
    for (const pattern of patterns) addRoute(router, 'GET', pattern, pattern)
    return (path) => lengthOf(findRoute(router, 'GET', path).params ?? {})
  },
  'hono RegExpRouter': async (patterns) =>
    hono(new (await peer('hono/router/reg-exp-router')).RegExpRouter(), patterns),
  'hono TrieRouter': async (patterns) =>
    hono(new (await peer('hono/router/trie-router')).TrieRouter(), patterns),
}

function hono(router: any, patterns: readonly string[]): Lookup {
  for (const pattern of patterns) router.add('GET', pattern, pattern)
  return (path) => {
    const [handlers, stash] = router.match('GET', path)
    let length = 1
    const params = handlers[0][1]
    for (const name in params)
      length += (stash === undefined ? params[name] : stash[params[name]]).length
    return length
  }
}

/** As a string from a socket is: in one piece. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** The median of the rounds, in nanoseconds. */
function measure<P>(lookup: Lookup<P>, paths: readonly P[]): number {
  const times: number[] = []
  let sum = 0
  for (let round = 0; round < rounds + 3; round++) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < batch; i++) sum += lookup(paths[i % paths.length]!)
    if (round >= 3) times.push(Number(process.hrtime.bigint() - start) / batch)
  }
  if (sum === 0) throw new Error('nothing was found')
  return times.sort((a, b) => a - b)[rounds >> 1]!
}

/** Ten paths of each shape, spread over the table, whatever its size. */
function report<P>(
  name: string,
  count: number,
  lookup: Lookup<P>,
  prepare: (path: string) => P,
): void {
  const areas = Math.floor(count / 3)
  const figures = Object.entries(shapes).map(([shape, path]) => {
    const paths = Array.from({ length: 10 }, (_, i) => prepare(flat(path((i * 33) % areas))))
    return `${shape} ${measure(lookup, paths).toFixed(0)} ns`
  })
  console.log(`${count} routes, ${name}: ${figures.join(', ')}`)
}

for (const count of [30, 1000]) {
  const patterns = patternsOf(count)
  report('fw', count, fwLookup(patterns), parsePath)
  for (const [name, make] of Object.entries(makers)) {
    const lookup = await make(patterns).catch((error: unknown) => error as Error)
    if (lookup instanceof Error) {
      console.log(`${count} routes, ${name}: left out (${lookup.message.split(' imported')[0]})`)
    } else {
      report(name, count, lookup, String)
    }
  }
}
