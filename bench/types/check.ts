/** Runs the compiler over a folder and reads its figures. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** The compiler's CPU time in seconds, and its number of types. */
export interface Cost {
  readonly seconds: number
  readonly instantiations: number
}

export function check(folder: string): Cost {
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  // CPU time of one thread, because other processes delay the elapsed time.
  const script = 'TIMEFORMAT=%U; time "$0" "$@"'
  const flags = ['--project', folder, '--extendedDiagnostics', '--noEmit', '--singleThreaded']
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, compiler, ...flags], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout.slice(0, 2000))
  const instantiations = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]
  return {
    seconds: Number(stderr.trim().split('\n').at(-1)),
    instantiations: Number(instantiations),
  }
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1]!
}

export function report(what: string, { seconds, instantiations }: Cost): void {
  console.log(`${what}: ${seconds.toFixed(3)} s, ${instantiations} instantiations`)
}
