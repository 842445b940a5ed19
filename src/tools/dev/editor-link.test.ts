/** Links of the error page that open the editor, and its coloured code. */
import { expect, test } from 'vitest'
import { editorUrl } from './editor-link.ts'
import { highlight } from './highlight.ts'

const place = { file: 'src/main/a b.ts', line: 3, column: 7 }

test.each([
  [undefined, 'vscode://file/app/src/main/a%20b.ts:3:7'],
  ['zed', 'zed://file/app/src/main/a%20b.ts:3:7'],
  ['idea', 'idea://open?file=/app/src/main/a%20b.ts&line=3&column=7'],
  ['sublime', 'subl://open?url=file:///app/src/main/a%20b.ts&line=3&column=7'],
  ['emacs', 'emacs://open?url=file:///app/src/main/a%20b.ts&line=3&column=7'],
  ['my+ed://{line}/{file}', 'my+ed://3/app/src/main/a%20b.ts'],
  ['none', undefined],
  ['javascript:alert({line})', undefined],
  ['https://example.com/{file}', undefined],
])('FW_EDITOR=%s gives %s', (editor, url) => {
  expect(editorUrl(place, '/app', editor)).toBe(url)
})

test('an absolute path and a place without a column', () => {
  expect(editorUrl({ file: '/else/b.ts', line: 1 }, '/app')).toBe('vscode://file/else/b.ts:1:1')
})

test('code is coloured and escaped', () => {
  expect(highlight('const a = "<b>" // x < 1')).toBe(
    '<i class="keyword">const</i> a = <i class="string">&quot;&lt;b&gt;&quot;</i> <i class="comment">// x &lt; 1</i>',
  )
  expect(highlight('<b>&')).toBe('&lt;b&gt;&amp;')
})
