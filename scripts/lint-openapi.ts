/**
 * Checks OpenAPI documents with the recommended rules of Redocly: `node --conditions=fwjs-source scripts/lint-openapi.ts`. The
 * documents are those of both examples and of an application with a scaffold and an API. Prints a line for each document and for
 * each problem, and exits with 1 after an error. Needs `npm run build`, and the npm registry, because `npx` runs the linter.
 */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createApplication, runFw } from './openapi-clients/application.ts'

const linter = '@redocly/cli@2.77.0'
const examples = resolve(import.meta.dirname, '../examples')

interface Problem {
  readonly ruleId: string
  readonly severity: 'error' | 'warn'
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

/** Returns the problems that the linter finds. */
function lint(file: string): Promise<readonly Problem[]> {
  const args = ['--yes', linter, 'lint', file, '--extends', 'recommended', '--format', 'json']
  return new Promise((done, failed) => {
    execFile('npx', args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const start = stdout.indexOf('{')
      if (start === -1) return failed(new Error(`${error?.message ?? ''} ${stderr}`))
      const { problems } = JSON.parse(stdout.slice(start)) as { readonly problems: Problem[] }
      done(problems)
    })
  })
}

const { root, remove } = createApplication()
try {
  for (const [name, application] of [
    ['generated', root],
    ['members', join(examples, 'members')],
    ['journal', join(examples, 'journal')],
  ] as const) {
    const file = join(root, `${name}.json`)
    await runFw(application, 'openapi', '--output', file)
    const problems = await lint(file)
    const errors = problems.filter(({ severity }) => severity === 'error')
    console.log(`${name}: ${errors.length} errors, ${problems.length - errors.length} warnings`)
    for (const { severity, ruleId, message, location } of problems)
      console.log(`  ${severity} ${ruleId}: ${message} ${location[0]?.pointer ?? ''}`)
    if (errors.length > 0) process.exitCode = 1
  }
} finally {
  await remove()
}
