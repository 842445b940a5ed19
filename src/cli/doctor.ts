/** `fw doctor`: looks at what people get wrong, and says how to mend it. */
import { FwError } from '../base.ts'
import { lookAtDatabase } from './doctor-database.ts'
import { lookAtDisk, lookAtGit, lookAtPort, lookAtTypes } from './doctor-folder.ts'
import { lookAtCopies, lookAtNode, lookAtPackages } from './doctor-packages.ts'
import { lookAtProduction, lookAtSettings } from './doctor-settings.ts'
import { findings, type Finding } from './finding.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { paint } from './terminal.ts'

interface DoctorOptions {
  readonly app: string
  readonly json?: boolean
}

type Look = (root: string) => readonly Finding[] | Promise<readonly Finding[]>

const looks: Readonly<Record<string, Look>> = {
  node: lookAtNode,
  packages: lookAtPackages,
  fwjs: lookAtCopies,
  configuration: lookAtSettings,
  production: lookAtProduction,
  database: lookAtDatabase,
  types: lookAtTypes,
  git: lookAtGit,
  disk: lookAtDisk,
  port: () => lookAtPort(),
}

/** A look that cannot be taken is a problem of its own; the others go on. */
async function take(topic: string, look: Look, root: string): Promise<readonly Finding[]> {
  try {
    return await look(root)
  } catch (error) {
    if (error instanceof FwError) return [findings(topic).problem(error.message)]
    return [findings(topic).problem(error instanceof Error ? error.message : String(error))]
  }
}

const signs = { ok: ['green', '✓'], warning: ['yellow', '!'], problem: ['red', '✗'] } as const

function lineOf({ state, text, mend }: Finding): string {
  const [colour, sign] = signs[state]
  const line = `${paint(colour, sign)} ${text.replaceAll('\n', '\n  ')}\n`
  return mend === undefined ? line : `${line}    ${paint('dim', mend)}\n`
}

function summary(all: readonly Finding[]): string {
  const count = (state: Finding['state'], one: string): string => {
    const number = all.filter((finding) => finding.state === state).length
    return `${number} ${one}${number === 1 ? '' : 's'}`
  }
  return `\n${count('problem', 'problem')}, ${count('warning', 'warning')}\n`
}

/** Everything that was found, told as it is found; all looks are taken at once. */
export async function examine(
  root: string,
  told: (finding: Finding) => void = () => {},
): Promise<readonly Finding[]> {
  const begun = Object.entries(looks).map(([topic, look]) => take(topic, look, root))
  const all: Finding[] = []
  for (const one of begun) {
    for (const finding of await one) {
      all.push(finding)
      told(finding)
    }
  }
  return all
}

/** The exit code is 1 when there is a problem. */
export async function doctor({ app, json }: DoctorOptions): Promise<void> {
  const root = applicationRoot(app)
  const all = await examine(root, (finding) => {
    if (json !== true) process.stdout.write(lineOf(finding))
  })
  const hasProblem = all.some(({ state }) => state === 'problem')
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ ok: !hasProblem, findings: all }, undefined, 2)}\n`
      : summary(all),
  )
  if (hasProblem) process.exitCode = 1
}
