/**
 * The program of the process that checks an application for `fw run`, or only generates `.fw`. It is reused, so that its code
 * is already compiled.
 */
import { generateSources } from '../../templates/compile.ts'
import { checkApplication } from './check.ts'
import type { BackgroundTask } from './background-check.ts'

const root = process.argv[2]!
let running: AbortController | undefined

/** Runs a check and cancels the previous one. Sends no result if the check itself fails, such as without a compiler. */
async function check(): Promise<void> {
  running?.abort()
  const controller = new AbortController()
  running = controller
  try {
    const { diagnostics } = await checkApplication(root, { signal: controller.signal })
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

process.on('message', (task: BackgroundTask) => (task === 'check' ? void check() : generate()))
process.on('disconnect', () => process.exit())
