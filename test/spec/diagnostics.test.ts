/** Endpoints › Diagnostics of the specification; decision 31. */
import { describe, expect, it } from 'vitest'
import { FwApiController, FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

/** Blocks for this long on the measured clock. */
function busy(millis: number): string {
  const end = performance.now() + millis
  while (performance.now() < end);
  return 'done'
}

for (const Base of [FwController, FwApiController]) {
  describe(`warnElapsedTime of ${Base.name}`, () => {
    class Slow extends Base {
      slow() {
        return this.warnElapsedTime(4, () => busy(6))
      }
      fast() {
        return this.warnElapsedTime(10_000, () => 'fast')
      }
      async told() {
        return this.warnElapsedTimeWithRequest(4, async () => busy(6))
      }
    }
    const get = async (path: string) => {
      const app = await serve([
        routes(Slow, (r) => ({
          slow: r.get('/slow', 'slow'),
          fast: r.get('/fast', 'fast'),
          told: r.get('/told', 'told'),
        })),
      ])
      const { body } = await app.get(path)
      return { body, warnings: app.lines.filter(({ level }) => level === 'warn') }
    }

    it('logs a block above the threshold, and returns its result (decision 31)', async () => {
      const { body, warnings } = await get('/slow')
      expect(body).toBe('done')
      expect(warnings.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^\[SLOW EXECUTION DETECTED\] Elapsed time: \d+ millis$/),
      ])
    })

    it('logs nothing for a fast block', async () => {
      expect(await get('/fast')).toEqual({ body: 'fast', warnings: [] })
    })

    it('warnElapsedTimeWithRequest logs the request with redacted secrets', async () => {
      const { body, warnings } = await get('/told?name=Ann&password=hunter2')
      expect(body).toBe('done')
      const { fields } = warnings[0]!
      expect(fields).toMatchObject({ method: 'GET', path: '/told' })
      expect(fields['params']).toMatchObject({ name: 'Ann' })
      expect(JSON.stringify(fields)).not.toContain('hunter2')
    })
  })
}
