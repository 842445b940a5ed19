/** Where code does not compile, when the engine does not say. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const mostMillis = 5_000

/**
 * What Node's own reader of types finds has its place in the stack. What the engine finds after it, such as a name declared
 * twice, has none, but for one that ends a process: so a process is made to end by it. Code that does not compile is not run.
 */
export function withPlace(error: unknown, root: string): unknown {
  if (
    !(error instanceof SyntaxError) ||
    error.stack?.includes('at compileSourceTextModule') !== true
  )
    return error
  const file = pathToFileURL(join(root, 'src/main/bootstrap.ts')).href
  const { stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '--eval', `await import(${JSON.stringify(file)})`],
    { cwd: root, encoding: 'utf8', timeout: mostMillis },
  )
  const head = stderr.slice(0, stderr.indexOf('\n\n'))
  if (stderr.includes(error.message)) error.stack = `${head}\n${error.stack}`
  return error
}
