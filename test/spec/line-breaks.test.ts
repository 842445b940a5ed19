/** The line breaks of a form's texts: browsers send CR LF, the page and its `maxlength` have LF. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { FileUploadFeature, JsonParamsFeature } from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

class Echo extends mix(FwController, FileUploadFeature, JsonParamsFeature) {
  async save() {
    const file = this.fileParams.get('file')
    return { text: this.params.get('text'), file: file && String(await file.get()) }
  }
}
const echo = routes(Echo, (r) => ({ save: r.post('/', 'save') }))

const piece = fc.constantFrom('\r\n', '\n', 'a', 'ü', ' ', '+', '%', '&', '=', '\r\n\r\n')
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

it('a text of a form has LF, in both encodings and however the browser escapes it', async () => {
  const app = await serve([echo])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await fc.assert(
    fc.asyncProperty(texts, fc.boolean(), async (text, isLower) => {
      const sent = text.replace(/\r?\n/g, '\r\n')
      const expected = sent.replaceAll('\r\n', '\n')
      const encoded = encodeURIComponent(sent)
      const body = `text=${isLower ? encoded.replaceAll('%0D%0A', '%0d%0a') : encoded}`
      expect((await app.post('/', { body, headers })).json().text).toBe(expected)
      const multipart = await app.post('/', { multipart: { text: sent } })
      expect(multipart.json().text ?? '').toBe(expected)
    }),
    { numRuns: 60 },
  )
})

it('the bytes of a file and the texts of JSON are unchanged', async () => {
  const app = await serve([echo])
  const file = new File(['a\r\nb'], 'a.txt')
  expect((await app.post('/', { multipart: { file } })).json().file).toBe('a\r\nb')
  expect((await app.post('/', { json: { text: 'a\r\nb' } })).json().text).toBe('a\r\nb')
})
