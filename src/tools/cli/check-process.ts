/** The process that checks an application each time `fw run` asks for it: compiled code stays warm between checks. */
import { checkApplication } from './check.ts'

const root = process.argv[2]!
let running: AbortController | undefined

/** A new check cancels the one before. A check that fails, such as without an installed compiler, has no result. */
async function check(): Promise<void> {
  running?.abort()
  const controller = new AbortController()
  running = controller
  try {
    const { diagnostics } = await checkApplication(root, controller.signal)
    if (!controller.signal.aborted) process.send!(diagnostics)
  } catch {
    // `fw check` shows the reason.
  }
}

process.on('message', () => void check())
process.on('disconnect', () => process.exit())
