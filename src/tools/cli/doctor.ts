/** `fw doctor`: checks the application's setup for common mistakes, and prints a remedy for each mistake. */
import { checkDatabase } from './doctor-database.ts'
import * as setup from './doctor-checks.ts'
import type { Finding } from './doctor-checks.ts'
import { applicationRoot, type CommandOptions } from './load-application.ts'
import { count, paint, printJson } from './terminal.ts'

type Check = (root: string) => readonly Finding[] | Promise<readonly Finding[]>

const checks: Readonly<Record<string, Check>> = {
  node: setup.checkNode,
  packages: setup.checkPackages,
  fwjs: setup.checkCopies,
  configuration: setup.checkSettings,
  messages: setup.checkMessages,
  production: setup.checkProduction,
  cookies: setup.checkCookies,
  database: checkDatabase,
  types: setup.checkTypes,
  git: setup.checkGit,
  disk: setup.checkDisk,
  port: () => setup.checkPort(),
}

/** Runs a check. If it throws, the error becomes a finding. */
async function runCheck(topic: string, check: Check, root: string): Promise<readonly Finding[]> {
  try {
    return (await check(root)).map((finding) => ({ topic, ...finding }))
  } catch (error) {
    return [{ topic, ...setup.problem(error instanceof Error ? error.message : String(error)) }]
  }
}

const signs = { ok: ['green', '✓'], warning: ['yellow', '!'], problem: ['red', '✗'] } as const

function formatFinding({ state, text, mend }: Finding): string {
  const [colour, sign] = signs[state]
  const line = `${paint(colour, sign)} ${text.replaceAll('\n', '\n  ')}\n`
  return mend === undefined ? line : `${line}    ${paint('dim', mend.replaceAll('\n', '\n    '))}\n`
}

function formatSummary(all: readonly Finding[]): string {
  const countOf = (state: Finding['state']): string =>
    count(all.filter((finding) => finding.state === state).length, state)
  return `\n${countOf('problem')}, ${countOf('warning')}\n`
}

/** Runs all checks concurrently, prints their findings in order, and sets the exit code to 1 if there is a problem. */
export async function doctor({
  app,
  json,
  production,
}: CommandOptions & { readonly production?: boolean }): Promise<void> {
  const root = applicationRoot(app)
  // Set the variable of this process, because the checks read the environment as the application does.
  if (production === true) process.env['FW_ENV'] = 'production'
  const chosen =
    production === true
      ? { ...checks, proxies: setup.checkProxies, sessions: setup.checkSessions }
      : checks
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
