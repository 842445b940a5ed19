/** Defines the environment variables and arguments of the processes that tests start. */
import { resolve } from 'node:path'

/**
 * Matches the variables that child processes do not get: for databases, settings, the test runner and colors of the
 * terminal.
 */
const hidden =
  /^(DATABASE_URL|FW_.*|PORT|VITEST.*|NODE_(ENV|OPTIONS|TEST_CONTEXT)|(NO|FORCE)_COLOR)$/

export const visibleEnvironment = (): Record<string, string> => ({
  ...(Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !hidden.test(name)),
  ) as Record<string, string>),
  // Tests parse the output of the process, so it must contain no colors.
  NO_COLOR: '1',
})

/**
 * The flags of Node for programs that run the repository's sources. With `--liftoff-only`, V8 compiles WebAssembly once
 * and skips the optimizing compiler: a test uses the embedded database only for seconds. All processes use the same
 * flags, because the compile cache depends on them.
 */
export const sourceFlags = ['--conditions=fwjs-source', '--liftoff-only'] as const

/**
 * The flags of Node for programs that run the built package, which starts in half the time of the sources. The global setup
 * builds it when the sources have changed. Node 22 warns about an application's TypeScript.
 */
export const packageFlags = ['--liftoff-only', '--disable-warning=ExperimentalWarning'] as const

/** The arguments of Node for the command line: `node ...fwCommand run`. */
export const fwCommand = [
  ...packageFlags,
  resolve(import.meta.dirname, '../../dist/tools/cli/main.js'),
] as const
