/** What a look at one thing found: right, doubtful or wrong, and how to mend it. */

/** One line of `fw doctor`. */
export interface Finding {
  /** What was looked at, as programs know it, such as `database`. */
  readonly topic: string
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** A command or a step; absent where nothing is to be done. */
  readonly mend?: string
}

/** Findings of one topic. */
export function findings(topic: string) {
  const made =
    (state: Finding['state']) =>
    (text: string, mend?: string): Finding => ({
      topic,
      state,
      text,
      ...(mend === undefined ? {} : { mend }),
    })
  return { ok: made('ok'), warning: made('warning'), problem: made('problem') }
}
