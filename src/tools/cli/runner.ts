/** `fw runner`: runs a module of TypeScript with the application and its databases, and without a server. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startApplication } from '../../runtime/app.ts'
import { FwError, prettyLogger } from '../../runtime/base.ts'
import { loadConfiguration } from '../../runtime/config.ts'
import { formatDiagnostic } from '../../templates/check.ts'
import { generateSources } from '../../templates/compile.ts'
import { checkApplication } from './check.ts'
import { applicationRoot, loadLifeCycle, type CommandOptions } from './load-application.ts'
import { withProgress } from './terminal.ts'

interface RunnerOptions extends CommandOptions {
  /** False for `--no-check`. */
  readonly check: boolean
}

/**
 * Checks the types of the script together with the application's, also if the application's `tsconfig.json` does not include the
 * script. Prints the mistakes to stderr, and returns true if there is none.
 */
async function checkScript(root: string, script: string): Promise<boolean> {
  const project = `.fw/runner-${process.pid}.json`
  mkdirSync(join(root, '.fw'), { recursive: true })
  writeFileSync(
    join(root, project),
    JSON.stringify({ extends: '../tsconfig.json', files: [script] }),
  )
  try {
    const { diagnostics } = await withProgress('checking types', () =>
      checkApplication(root, { project }),
    )
    const mistakes = diagnostics.filter(({ severity }) => severity === undefined)
    for (const mistake of mistakes) process.stderr.write(`${formatDiagnostic(mistake)}\n`)
    return mistakes.length === 0
  } finally {
    rmSync(join(root, project))
  }
}

/**
 * Runs the script after a successful check. Its arguments are `process.argv.slice(2)`. In production nothing is checked, because
 * the compiler is a development dependency.
 * @throws FwError `cli.no-script`, and the errors of `startApplication` and of the script
 */
export async function runScript(
  file: string,
  args: readonly string[],
  { app, check }: RunnerOptions,
): Promise<void> {
  const root = applicationRoot(app)
  const script = resolve(root, file)
  if (!existsSync(script))
    throw new FwError(
      'cli.no-script',
      `There is no file ${script}. Name a file of TypeScript or JavaScript, relative to the application's folder.`,
    )
  const configuration = loadConfiguration({ root })
  const isProduction = configuration.env.isProduction()
  if (check && !isProduction) {
    if (!(await checkScript(root, script))) {
      process.exitCode = 1
      return
    }
  } else if (!isProduction) generateSources(root)
  const lifeCycle = await loadLifeCycle(root)
  const logger = prettyLogger((line) => void process.stderr.write(line), {
    colour: process.stderr.isTTY,
    level: 'warn',
  })
  const application = await startApplication(lifeCycle, {
    root,
    configuration,
    logger,
    jobs: false,
  })
  process.chdir(root)
  process.argv.splice(1, Infinity, script, ...args)
  try {
    await import(pathToFileURL(script).href)
  } finally {
    await application.close()
  }
}
