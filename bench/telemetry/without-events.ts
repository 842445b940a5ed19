/** Loaded with `--import`: a build without events, for comparison. No channel is active, so the compiler removes the checks. */
import { registerHooks } from 'node:module'

const check = 'return this.mustRun || this.end.hasSubscribers'

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/base/work-channel.ts')) return loaded
    const source = String(loaded.source)
    if (!source.includes(check)) throw new Error(`${url} no longer contains: ${check}`)
    return { ...loaded, source: source.replace(check, 'return false') }
  },
})
