/** `fw lsp`: features while the templates are read. */
import { expect, test } from 'vitest'
import { generateSources } from '../../src/templates/compile.ts'
import { canListChildren, listChildren } from '../support/child-processes.ts'
import { copyExample, Editor, removeApplication, serverWithWait, webInf } from './editor.ts'

test.runIf(canListChildren)(
  'features answer in many templates although TypeScript does not',
  async () => {
    const root = copyExample('members')
    const editor = new Editor(root, { command: serverWithWait(100) })
    const part = '<p>${a}</p>\n<div class="x">#if (a === \'b\')\n<b>${a}</b>\n#end</div>\n'
    const text = `<%@val a: string %>\n${part.repeat(60)}`
    for (let at = 0; at < 40; at++) editor.write(`${webInf}/views/many/p${at}.html.ssp`, text)
    generateSources(root)
    let stopped: readonly number[] = []
    try {
      await editor.initialize()
      stopped = listChildren(editor.child.pid!)
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
      const pages = ['index', 'new', 'quick', 'show', '_form'].map(
        (name) => `${webInf}/views/members/${name}.html.ssp`,
      )
      for (const page of pages) await editor.open(page)
      const symbols = editor.askAbout('textDocument/documentSymbol', pages[0]!)
      // A request to the stopped TypeScript fails at last, and only then is the first page checked.
      const checked = Promise.race(pages.map((page) => editor.diagnostics(page)))
      const first = await Promise.race([symbols.then(() => 'answer'), checked.then(() => 'check')])
      expect(first).toBe('answer')
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGKILL')
      await editor.kill()
      removeApplication(root)
    }
  },
)
