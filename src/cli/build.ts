/** `fw build`: everything that a start in production needs, generated and checked. */
import { checkWithProgress, tellChecked } from './check.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface BuildOptions {
  readonly app: string
  readonly json?: boolean
}

/**
 * Writes `.fw`, which goes to production with the sources: the modules of views and layouts, the keys of messages and
 * settings. The exit code is 1 when there is a mistake in code or templates: what does not compile is not to be started.
 */
export async function build({ app, json }: BuildOptions): Promise<void> {
  const checked = await checkWithProgress(applicationRoot(app))
  tellChecked(checked, json)
  if (checked.diagnostics.length > 0) process.exitCode = 1
}
