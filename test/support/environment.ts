/** Defines the environment variables and flags of the processes that tests start. */

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
