/** The job {{words}}. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
{{imports}}
import { runJobs, testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { {{Job}} } from '#main/job/{{file}}'

await testApp(Bootstrap)

describe('{{words}}', () => {
  it('runs', async () => {
    {{enqueue}}
    assert.equal(await runJobs(), 1)
  })
})
