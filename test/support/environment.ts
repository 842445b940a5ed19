/** The environment and flags of processes that tests start. */

/** Variables for databases, settings, the test runner and terminal colours are removed. */
const hidden =
  /^(DATABASE_URL|FW_.*|PORT|VITEST.*|NODE_(ENV|OPTIONS|TEST_CONTEXT)|(NO|FORCE)_COLOR)$/

export const visibleEnvironment = (): Record<string, string> => ({
  ...(Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !hidden.test(name)),
  ) as Record<string, string>),
  // Tests parse the output.
  NO_COLOR: '1',
})

/**
 * Flags to run the repository's sources. A test uses the embedded database for seconds, so `--liftoff-only` compiles
 * its WebAssembly once and skips the optimising compiler, which takes as long again. All processes use the same flags,
 * because the compile cache depends on them.
 */
export const sourceFlags = ['--conditions=fwjs-source', '--liftoff-only'] as const
