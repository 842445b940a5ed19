/** `fw doctor`: checks the application's setup for common mistakes, and prints a remedy for each mistake. */
import { checkDatabase } from './doctor-database.ts'
import {
  checkCopies,
  checkDisk,
  checkGit,
  checkNode,
  checkPackages,
  checkPort,
  checkProduction,
  checkProxies,
  checkSessions,
  checkSettings,
  checkTypes,
  findings,
  type Finding,
} from './doctor-checks.ts'
import { applicationRoot } from './load-application.ts'
import { paint, printJson } from './terminal.ts'

interface DoctorOptions {
  readonly app: string
  readonly json?: boolean
  readonly production?: boolean
}

type Check = (root: string) => readonly Finding[] | Promise<readonly Finding[]>

const checks: Readonly<Record<string, Check>> = {
  node: checkNode,
  packages: checkPackages,
  fwjs: checkCopies,
  configuration: checkSettings,
  production: checkProduction,
  database: checkDatabase,
  types: checkTypes,
  git: checkGit,
  disk: checkDisk,
  port: () => checkPort(),
}

/** Runs a check. If it throws, the error becomes a finding of the check's topic. */
async function runCheck(topic: string, check: Check, root: string): Promise<readonly Finding[]> {
  try {
    return await check(root)
  } catch (error) {
    return [findings(topic).problem(error instanceof Error ? error.message : String(error))]
  }
}

const signs = { ok: ['green', '✓'], warning: ['yellow', '!'], problem: ['red', '✗'] } as const

function formatFinding({ state, text, mend }: Finding): string {
  const [colour, sign] = signs[state]
  const line = `${paint(colour, sign)} ${text.replaceAll('\n', '\n  ')}\n`
  return mend === undefined ? line : `${line}    ${paint('dim', mend.replaceAll('\n', '\n    '))}\n`
}

function formatSummary(all: readonly Finding[]): string {
  const count = (state: Finding['state']): string => {
    const number = all.filter((finding) => finding.state === state).length
    return `${number} ${state}${number === 1 ? '' : 's'}`
  }
  return `\n${count('problem')}, ${count('warning')}\n`
}

/** Runs all checks concurrently, prints their findings in order, and sets the exit code to 1 if there is a problem. */
export async function doctor({ app, json, production }: DoctorOptions): Promise<void> {
  const root = applicationRoot(app)
  // Set the variable of this process, because the checks read the environment as the application does.
  if (production === true) process.env['FW_ENV'] = 'production'
  const chosen =
    production === true ? { ...checks, proxies: checkProxies, sessions: checkSessions } : checks
  const running = Object.entries(chosen).map(([topic, check]) => runCheck(topic, check, root))
  const all: Finding[] = []
  for (const check of running) {
    const found = await check
    all.push(...found)
    if (json !== true) process.stdout.write(found.map(formatFinding).join(''))
  }
  const hasProblem = all.some(({ state }) => state === 'problem')
  if (json === true) printJson({ ok: !hasProblem, findings: all })
  else process.stdout.write(formatSummary(all))
  if (hasProblem) process.exitCode = 1
}
