/** Looks at the configuration: as it is here, and as production will read it. */
import { relative } from 'node:path'
import { applicationSettings, generateKeys } from '../app.ts'
import {
  ConfigurationError,
  FwEnv,
  loadConfiguration,
  placeOf,
  previewConfiguration,
  readSettings,
  type ConfigProblem,
} from '../config.ts'
import { findings, type Finding } from './finding.ts'

function problemsOf(read: () => unknown): readonly ConfigProblem[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

function textOf({ origin, text }: ConfigProblem, root: string): string {
  if (origin === undefined) return text
  return `${placeOf({ ...origin, file: relative(root, origin.file) || origin.file })} ${text}`
}

const mends: readonly (readonly [RegExp, string])[] = [
  [/\bsecretKeyBase\b/, "fw secret makes one: give it to the server as production's secretKeyBase"],
  [/\bserver\.hosts\b/, "Give the server's host names as production's server.hosts"],
]

const mendFor = (text: string): string =>
  mends.find(([about]) => about.test(text))?.[1] ?? 'Correct it there, or in what it is read from.'

/** Every problem of the settings and of the files of messages. */
export function lookAtSettings(root: string): Finding[] {
  const { ok, problem } = findings('configuration')
  const env = FwEnv.of(process.env)
  const found = [
    ...problemsOf(() => readSettings(loadConfiguration({ root }), applicationSettings)),
    ...problemsOf(() => generateKeys(root)),
  ]
  const texts = [...new Set(found.map((one) => textOf(one, root)))]
  return texts.length === 0
    ? [ok(`the configuration of ${env.name} is valid`)]
    : texts.map((text) => problem(text, mendFor(text)))
}

/** What a start in production would refuse; elsewhere it is a warning, as a server may have what is missing here. */
export function lookAtProduction(root: string): Finding[] {
  const { ok, warning } = findings('production')
  // Then it has been looked at already.
  if (FwEnv.of(process.env).isProduction()) return []
  const preview = () => previewConfiguration({ root, env: 'production' })
  const found = problemsOf(() => readSettings(preview(), applicationSettings))
  return found.length === 0
    ? [ok('production has its secret and its hosts')]
    : found.map((one) => {
        const text = textOf(one, root)
        return warning(`production would not start: ${text}`, mendFor(text))
      })
}
