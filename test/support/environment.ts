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
