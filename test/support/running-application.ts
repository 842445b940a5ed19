/** Runs `fw run` in a folder as a child process, and records its output. */
import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { fwCommand } from './environment.ts'
import { visibleEnvironment } from './environment.ts'

export interface RunningApplication {
  readonly url: string
  /** Returns the output of the process so far. */
  readonly output: () => string
}

/** Starts the application. Resolves when it listens. The process ends with the test. */
export async function runApplication(
  root: string,
  ...options: readonly string[]
): Promise<RunningApplication> {
  const args = [...fwCommand, 'run', '--port', '0', ...options]
  const child = spawn(process.execPath, args, { cwd: root, env: visibleEnvironment() })
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  let output = ''
  const url = await new Promise<string>((listening, failed) => {
    child.once('exit', () => failed(new Error(output)))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += String(text)
        const found = /listening on (http:\S+)/.exec(output)?.[1]
        if (found !== undefined) listening(found)
      })
  })
  return { url, output: () => output }
}
