/** A started subject on the first core, measured from outside by `/proc`. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { visibleEnvironment } from '../../test/support/environment.ts'
import { processorTime } from '../session/processor-time.ts'
import type { Command } from './subjects.ts'

export const serverCore = 0
export const loadCore = 1

/** Pins all threads of a process to one core, if the system supports it. */
export function pin(process: number, core: number): void {
  spawnSync('taskset', ['-a', '-p', '-c', String(core), String(process)])
}

export class ServerProcess {
  readonly port: number
  /** Milliseconds from the start of the process to the first answer. */
  readonly startedIn: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number, startedIn: number) {
    this.#child = child
    this.port = port
    this.startedIn = startedIn
  }

  static async start({ args, cwd, env }: Command): Promise<ServerProcess> {
    const began = performance.now()
    // `taskset` replaces itself by Node, so that loading is on one core too.
    const command = ['-c', String(serverCore), process.execPath, ...args]
    const child = spawn('taskset', command, {
      cwd,
      env: { ...visibleEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await readPort(child)
    const response = await fetch(`http://localhost:${port}/hello`)
    await response.text()
    return new ServerProcess(child, port, performance.now() - began)
  }

  /** Microseconds of processor time that all threads have used. */
  cpu(): number {
    return processorTime(this.#child.pid!) * 1e6
  }

  /** MB of resident memory. */
  rss(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1000
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}

/** The port of the line that each subject writes when it listens. */
function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(`the server ended:\n${output}`)))
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const port = /http:\/\/[^:]+:(\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
}
