/** Tests the rows of rows.tsv that are about responses. */
import { expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { attachment } from '../../src/runtime/http.ts'
import { serve } from '../support/serve.ts'

const files = {
  'src/main/webapp/WEB-INF/views/page.html.ssp':
    '<%@val rows: Iterable<string> %>\n<h1>Begun</h1>\n#for (r of rows)\n<li>${r}</li>\n#end\n',
}

function* rows(): Generator<string> {
  for (let count = 0; count < 200; count++) {
    if (count === 100) throw new Error('row broken')
    yield 'x'.repeat(1000)
  }
}

class Answers extends FwController {
  page() {
    this.set('rows', rows())
    return this.render('/page')
  }
  download() {
    this.response.headers.set('Content-Type', 'application/octet-stream')
    this.response.headers.set('Content-Disposition', attachment('x.html'))
    return '<script>1</script>'
  }
}
const answers = routes(Answers, (r) => ({
  page: r.get('/page', 'page'),
  download: r.get('/download', 'download'),
}))

test('TPL-12: a view of 200 KB that fails midway is a clean 500, without any of its output', async () => {
  const { status, headers, body } = await (await serve([answers], { files })).get('/page')
  expect([status, headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
  expect(body).not.toContain('Begun')
  expect(body).not.toContain('xxx')
})

test('OUT-08: an explicit type is sent for a download of any name', async () => {
  const { headers } = await (await serve([answers], { files })).get('/download')
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="?x\.html"?$/)
})
