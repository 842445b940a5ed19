/** A terminal that runs the commands of pages. It keeps its folder and the exported variables from block to block. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { applyBlock, readBlocks, type PageBlock } from './page-walk.ts'

type Environment = Readonly<Record<string, string>>

/** A line that starts a server, which the reader leaves running. */
const serverLine = /^\.\/fw (?:run|start)\b.*$/m

/** Prints the folder and the variables of the shell for the next block. */
const printState =
  'require("node:fs").writeSync(3, JSON.stringify({ cwd: process.cwd(), env: process.env }))'

interface TerminalOptions {
  readonly cwd: string
  readonly env: Environment
  /** Replaces a part of a command, such as an address; by default nothing. */
  readonly replace?: (command: string) => string
}

export class PageTerminal {
  cwd: string
  /** The addresses of the servers that run, in the order of their start. */
  readonly urls: string[] = []
  #env: Environment
  readonly #replace: (command: string) => string
  readonly #servers: ChildProcess[] = []

  constructor({ cwd, env, replace = (command) => command }: TerminalOptions) {
    this.cwd = cwd
    this.#env = env
    this.#replace = replace
  }

  /** Runs each command of a page, writes its files and applies its changes, in order. */
  async walk(page: string, isWanted: (block: PageBlock) => boolean = () => true): Promise<void> {
    for (const block of readBlocks(page).filter(isWanted)) {
      try {
        if (block.language === 'sh') await this.run(block.text)
        else if (block.language !== 'text') applyBlock(this.cwd, block)
      } catch (cause) {
        throw new Error(`${page}:${block.line}: ${String(cause)}`, { cause })
      }
    }
  }

  /** Runs the commands of a block. Starts its servers in the background, and waits until they listen. Returns the output. */
  async run(block: string): Promise<string> {
    const server = serverLine.exec(block)
    if (server === null) return this.#runCommands(block)
    const before = await this.#runCommands(block.slice(0, server.index))
    await this.#start(server[0])
    return before + (await this.run(block.slice(server.index + server[0].length)))
  }

  async #runCommands(commands: string): Promise<string> {
    if (commands.trim() === '') return ''
    const script = `set -e\n${this.#replace(commands)}\nnode -e '${printState}'`
    const child = spawn('bash', ['-c', script], {
      cwd: this.cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    let state = ''
    child.stdio[3]!.on('data', (text: Buffer) => (state += text.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`exit code ${code}\n${commands}\n${output}`)
    const { cwd, env } = JSON.parse(state) as { readonly cwd: string; readonly env: Environment }
    this.cwd = cwd
    this.#env = env
    return output
  }

  async #start(line: string): Promise<void> {
    const args = ['-c', `exec ${line}`]
    const child = spawn('bash', args, { cwd: this.cwd, env: { ...this.#env, FW_PORT: '0' } })
    this.#servers.push(child)
    let output = ''
    const port = await new Promise<string>((listening, failed) => {
      child.once('exit', (code) => failed(new Error(`${line}: exit code ${code}\n${output}`)))
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
          const [, found] = /listening on http:\/\/\S+:(\d+)/.exec(output) ?? []
          if (found !== undefined) listening(found)
        })
    })
    this.urls.push(`http://localhost:${port}`)
  }

  /** Ends the servers. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#servers
        .splice(0)
        .filter((child) => child.exitCode === null && child.kill())
        .map((child) => once(child, 'close')),
    )
    this.urls.length = 0
  }
}
