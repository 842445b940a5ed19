/**
 * Nanoseconds for one lookup that reads its parameters, compared with other routers on the same table:
 * `npm run bench -- routing`.
 */
import { parsePath, type RequestPath } from '../../src/runtime/http.ts'
import { Pattern, RoutingTable } from '../../src/runtime/routing.ts'

/** Looks up a path and returns the length of the result, so that the engine cannot remove the work. */
type Lookup<P = string> = (path: P) => number
type Make = (patterns: readonly string[]) => Promise<Lookup>

const rounds = 15
const batch = 100_000

/** A table of resources with ten routes of each kind: static, one parameter, three parameters. */
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
    matcher: new Pattern(text),
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

// The routers' types have no common interface.
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

/** Flattens the string, like one that is read from a socket. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** A router with ten paths of one kind to look up. */
interface Contender {
  readonly name: string
  readonly times: number[]
  /** Looks up `batch` paths. */
  run(): number
}

function contender<P>(name: string, lookup: Lookup<P>, paths: readonly P[]): Contender {
  return {
    name,
    times: [],
    run() {
      let sum = 0
      for (let i = 0; i < batch; i++) sum += lookup(paths[i % paths.length]!)
      return sum
    },
  }
}

/** Measures CPU time in alternating rounds, so that disturbances of the machine affect all routers equally. */
function measure(all: readonly Contender[]): void {
  for (let round = 0; round < rounds + 3; round++) {
    for (const one of all) {
      const before = process.cpuUsage()
      if (one.run() === 0) throw new Error('nothing was found')
      const { user, system } = process.cpuUsage(before)
      if (round >= 3) one.times.push(((user + system) * 1000) / batch)
    }
  }
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[rounds >> 1]!

/** Ten paths of one kind, spread evenly over the table. */
function pathsOf(shape: (i: number) => string, count: number): readonly string[] {
  const areas = Math.floor(count / 3)
  return Array.from({ length: 10 }, (_, i) => flat(shape((i * 33) % areas)))
}

for (const count of [30, 1000]) {
  const patterns = patternsOf(count)
  const lookups = new Map<string, Lookup>()
  for (const [name, make] of Object.entries(makers)) lookups.set(name, await make(patterns))
  for (const [shape, pathOf] of Object.entries(shapes)) {
    const paths = pathsOf(pathOf, count)
    const all = [...lookups].map(([name, lookup]) => contender(name, lookup, paths))
    all.unshift(contender('fw', fwLookup(patterns), paths.map(parsePath)))
    measure(all)
    const figures = all.map(({ name, times }) => `${name} ${median(times).toFixed(0)}`)
    console.log(`${count} routes, ${shape}: ${figures.join(', ')} ns`)
  }
}
