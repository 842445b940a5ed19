/** `fw console`: TypeScript with the application at hand, typed line by line or piped in. */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { REPLServer } from 'node:repl'
import { typeScriptRepl, TypeScriptScript } from './console-evaluator.ts'
import { openConsole, type ConsoleSurroundings } from './console-surroundings.ts'
import { showValue, teachInspect } from './console-values.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { paint, terminalWidth } from './terminal.ts'
import { version } from './version.ts'

interface ConsoleOptions {
  readonly app: string
  readonly sandbox?: boolean
}

const show = (value: unknown): string =>
  showValue(value, terminalWidth(), process.stdout.isTTY && process.stdout.hasColors())

/** The last lines of this application, outside of its folder: they may hold personal data. */
function historyFile(root: string): string {
  const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state')
  const folder = join(state, 'fw', 'console')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const place = createHash('sha256').update(root).digest('hex').slice(0, 8)
  return join(folder, `${basename(root)}-${place}`)
}

/** Where nothing can be kept, the console goes without. */
async function keepHistory(server: REPLServer, root: string): Promise<void> {
  try {
    const file = historyFile(root)
    await new Promise<void>((ready) => server.setupHistory(file, () => ready()))
  } catch (error) {
    process.stderr.write(`No history is kept: ${(error as Error).message}\n`)
  }
}

function welcome({ configuration, names, models, notes }: ConsoleSurroundings): string {
  const others = Object.keys(names).filter((name) => !models.includes(name))
  return [
    `Fw ${version()}, ${configuration.env.name}. At hand: ${[...models, ...others].join(', ')}. Ctrl+D ends.`,
    ...notes.map((note) => paint('yellow', note)),
    '',
  ].join('\n')
}

/** Ends with Ctrl+D, `.exit` or a signal. */
async function converse(root: string, surroundings: ConsoleSurroundings): Promise<void> {
  const { configuration, names } = surroundings
  process.stdout.write(welcome(surroundings))
  const prompt = `${basename(root)} (${configuration.env.name})> `
  const server = typeScriptRepl({ prompt, writer: show })
  Object.assign(server.context, names)
  await keepHistory(server, root)
  await new Promise<void>((ended) => server.once('exit', ended))
}

/** Line by line from the standard input, each when the one before is done; after a failure the rest is not run. */
async function runInput({ names, notes }: ConsoleSurroundings): Promise<void> {
  for (const note of notes) process.stderr.write(`${note}\n`)
  const script = new TypeScriptScript(names)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '.exit') break
    const value = await script.run(line)
    if (value !== undefined) process.stdout.write(`${show(value)}\n`)
  }
  script.end()
}

/** @throws FwError whatever makes a start senseless; whatever the piped lines throw */
export async function startConsole({ app, sandbox = false }: ConsoleOptions): Promise<void> {
  const root = applicationRoot(app)
  const surroundings = await openConsole(root, sandbox)
  // What is imported in the console is looked for from here.
  process.chdir(root)
  teachInspect()
  try {
    if (process.stdin.isTTY) await converse(root, surroundings)
    else await runInput(surroundings)
  } finally {
    await surroundings.close()
  }
}
