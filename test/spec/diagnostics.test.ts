/** Endpoints › Diagnostics of the specification; decision 31. */
import { describe, expect, it } from 'vitest'
import { FwApiController, FwController, routes } from '../../src/controller.ts'
import { serve } from '../support/serve.ts'

/** Busy for that long by the clock that is measured with. */
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

    it('logs a block that runs longer than the threshold, and gives what it gives (decision 31)', async () => {
      const { body, warnings } = await get('/slow')
      expect(body).toBe('done')
      expect(warnings.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^\[SLOW EXECUTION DETECTED\] Elapsed time: \d+ millis$/),
      ])
    })

    it('is silent about one that does not', async () => {
      expect(await get('/fast')).toEqual({ body: 'fast', warnings: [] })
    })

    it('warnElapsedTimeWithRequest tells of the request, its secrets redacted', async () => {
      const { body, warnings } = await get('/told?name=Ann&password=hunter2')
      expect(body).toBe('done')
      const { fields } = warnings[0]!
      expect(fields).toMatchObject({ method: 'GET', path: '/told' })
      expect(fields['params']).toMatchObject({ name: 'Ann' })
      expect(JSON.stringify(fields)).not.toContain('hunter2')
    })
  })
}
