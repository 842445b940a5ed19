/** Runs the compiler over folders and compares its figures. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** One run of the compiler: what a developer waits for, and the CPU time of all its threads. */
export interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
  /** Of one thread, because each thread of the compiler instantiates types that it shares with others. */
  readonly instantiations: number
}

const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')

function run(folder: string, flags: readonly string[]): { stdout: string; times: number[] } {
  const script = `TIMEFORMAT='%R %U %S'; time "$0" "$@"`
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', script, compiler, '--project', folder, '--noEmit', ...flags],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stdout.slice(0, 2000))
  return { stdout, times: stderr.trim().split('\n').at(-1)!.split(' ').map(Number) }
}

/** Compiles each folder once a round, in turn, so that the load of the machine is the same for all. */
export function check<K extends string>(
  folders: Readonly<Record<K, string>>,
  rounds: number,
): Record<K, Cost[]> {
  const costs = {} as Record<K, Cost[]>
  const instantiations = {} as Record<K, number>
  const names = Object.keys(folders) as K[]
  for (const name of names) {
    const { stdout } = run(folders[name], ['--extendedDiagnostics', '--singleThreaded'])
    instantiations[name] = Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
    costs[name] = []
  }
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const [seconds, user, system] = run(folders[name], []).times
      costs[name].push({
        seconds: seconds!,
        cpuSeconds: user! + system!,
        instantiations: instantiations[name],
      })
    }
  return costs
}

/** The costs of each round without those of `base` in the same round. */
export function subtract(costs: readonly Cost[], base: readonly Cost[]): Cost[] {
  return costs.map((cost, i) => ({
    seconds: cost.seconds - base[i]!.seconds,
    cpuSeconds: cost.cpuSeconds - base[i]!.cpuSeconds,
    instantiations: cost.instantiations - base[i]!.instantiations,
  }))
}

function spread(figures: readonly number[]): string {
  const sorted = figures.toSorted((a, b) => a - b).map((figure) => figure.toFixed(2))
  return `${sorted[sorted.length >> 1]} (${sorted[0]}–${sorted.at(-1)})`
}

/** Prints the medians, with the lowest and the highest figure. */
export function report(what: string, costs: readonly Cost[]): void {
  console.log(
    `${what}: ${spread(costs.map(({ seconds }) => seconds))} s elapsed, ` +
      `${spread(costs.map(({ cpuSeconds }) => cpuSeconds))} s CPU, ` +
      `${costs[0]!.instantiations} instantiations`,
  )
}
