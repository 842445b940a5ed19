/** What a process that a test starts sees of this one's environment. */

/** Neither its databases nor its settings, its test runner or its terminal's colours. */
const hidden =
  /^(DATABASE_URL|FW_.*|PORT|VITEST.*|NODE_(ENV|OPTIONS|TEST_CONTEXT)|(NO|FORCE)_COLOR)$/

export const visibleEnvironment = (): Record<string, string> => ({
  ...(Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !hidden.test(name)),
  ) as Record<string, string>),
  // What it says is read.
  NO_COLOR: '1',
})

/**
 * How Node runs the sources of this repository. The embedded database lives for seconds in a test: its code is compiled
 * once, quickly, and not a second time in the background, which takes as much time again. (In all processes alike, for
 * what they have compiled is kept apart for each set of flags.)
 */
export const sourceFlags = ['--conditions=fwjs-source', '--liftoff-only'] as const
