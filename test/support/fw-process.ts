/** `FwProcess`: a command of `fw` in production, as a child process that tests kill. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { eventually } from './data-app.ts'
import { fwCommand, visibleEnvironment } from './environment.ts'

/** Runs a command of `fw` in a folder. The process ends with the test. */
export class FwProcess {
  readonly child: ChildProcess
  readonly exited: Promise<unknown[]>
  output = ''

  constructor(root: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    const own = { ...visibleEnvironment(), FW_ENV: 'production', ...env }
    this.child = spawn(process.execPath, [...fwCommand, ...args], { cwd: root, env: own })
    this.exited = once(this.child, 'exit')
    for (const stream of [this.child.stdout, this.child.stderr])
      stream!.setEncoding('utf8').on('data', (text: string) => (this.output += text))
    onTestFinished(async () => {
      this.child.kill('SIGKILL')
      await this.exited
    })
  }

  /** Resolves when a log line contains the text. */
  async logs(text: string): Promise<this> {
    await eventually(() => {
      if (this.child.exitCode !== null) throw new Error(this.output)
      return this.output.includes(text)
    }).toBe(true)
    return this
  }

  /** The address of the server, from its log. */
  get url(): string {
    return /"url":"([^"]+)"/.exec(this.output)![1]!
  }
}
