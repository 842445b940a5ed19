/** Attachments, whose type and content may come from a client. */
import { describe, expect, it } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { attachment } from '../../src/runtime/http.ts'
import { serve } from '../support/serve.ts'

describe('an attachment', () => {
  class Files extends FwController {
    file() {
      this.response.headers.set('Content-Type', 'text/html')
      this.response.headers.set('Content-Disposition', attachment('x.html'))
      return '<script>alert(1)</script>'
    }
    own() {
      this.response.headers.set('Content-Security-Policy', "default-src 'none'")
      return this.file()
    }
  }
  const files = routes(Files, (r) => ({ file: r.get('/file', 'file'), own: r.get('/own', 'own') }))

  it('is sandboxed, unless the action sets a policy', async () => {
    const client = await serve([files])
    const policy = async (path: string) =>
      (await client.get(path)).headers.get('content-security-policy')
    expect(await policy('/file')).toBe('sandbox')
    expect(await policy('/own')).toBe("default-src 'none'")
  })
})
