/** The program of the process that checks an application for `fw run`. It is reused, so that its code is already compiled. */
import { checkApplication } from './check.ts'

const root = process.argv[2]!
let running: AbortController | undefined

/** Runs a check and cancels the previous one. Sends no result if the check itself fails, such as without a compiler. */
async function check(): Promise<void> {
  running?.abort()
  const controller = new AbortController()
  running = controller
  try {
    const { diagnostics } = await checkApplication(root, controller.signal)
    if (!controller.signal.aborted) process.send!(diagnostics)
  } catch {
    // Ignore the failure: `fw check` prints its reason.
  }
}

process.on('message', () => void check())
process.on('disconnect', () => process.exit())
