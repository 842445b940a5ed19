/** The functions in which a process spends its time, from V8's CPU profile. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Node's argument that writes a profile at the exit. */
export const profileArguments = (folder: string): string[] => [
  '--cpu-prof',
  '--cpu-prof-dir',
  folder,
]

/** The functions with the most self time, as lines with their share of the busy time. */
export function describeProfile(folder: string, most = 40): string {
  const busy = new Map<string, number>()
  let total = 0
  for (const file of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    const names = new Map(
      profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
        id,
        `${functionName || '(anonymous)'} ${url.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')}:${lineNumber + 1}`,
      ]),
    )
    profile.samples.forEach((id, at) => {
      const name = names.get(id)!
      if (/^\((idle|root)\)/.test(name)) return
      const took = profile.timeDeltas[at]!
      total += took
      busy.set(name, (busy.get(name) ?? 0) + took)
    })
  }
  return [...busy]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, took]) => `${((took / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n')
}
