/**
 * The program of the process that checks an application for `fw run`, or only generates `.fw`. It is reused, so that its code
 * is already compiled.
 */
import { setFlagsFromString } from 'node:v8'
import { generateSources } from '../../templates/compile.ts'
import { RepeatedCheck } from './check.ts'
import type { BackgroundTask } from './background-check.ts'

// Compiling all templates would grow V8's young generation to 32 MiB, which V8 does not shrink again.
setFlagsFromString('--semi-space-growth-factor=1')
const root = process.argv[2]!
const repeated = new RepeatedCheck(root)
let running: AbortController | undefined

/** Runs a check and cancels the previous one. Sends no result if the check itself fails, such as without a compiler. */
async function check(changed: readonly string[]): Promise<void> {
  running?.abort()
  const controller = new AbortController()
  running = controller
  try {
    const { diagnostics } = await repeated.check(changed, controller.signal)
    if (!controller.signal.aborted) process.send!(diagnostics)
  } catch {
    // Ignore the failure: `fw check` prints its reason.
  }
}

function generate(): void {
  try {
    generateSources(root)
  } catch {
    // Ignore the failure: the application reports invalid settings and messages, and the next check generates again.
  }
}

process.on('message', (task: BackgroundTask) =>
  task === 'generate' ? generate() : void check(task.changed),
)
process.on('disconnect', () => process.exit())
