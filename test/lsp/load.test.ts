/** `fw lsp`: features while the templates are read. */
import { expect, test } from 'vitest'
import { canListChildren, listChildren } from '../support/child-processes.ts'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

test.runIf(canListChildren)(
  'features answer in many templates although TypeScript does not',
  async () => {
    const root = copyExample('members')
    const editor = new Editor(root)
    const part = '<p>${a}</p>\n<div class="x">#if (a === \'b\')\n<b>${a}</b>\n#end</div>\n'
    const text = `<%@val a: string %>\n${part.repeat(60)}`
    for (let at = 0; at < 600; at++) editor.write(`${webInf}/views/many/p${at}.html.ssp`, text)
    let isGivenUp = false
    editor.connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      isGivenUp ||= message.includes('TypeScript did not answer')
    })
    let stopped: readonly number[] = []
    try {
      await editor.initialize()
      stopped = listChildren(editor.child.pid!)
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
      const page = `${webInf}/views/members/index.html.ssp`
      await editor.open(page)
      expect(await editor.askAbout('textDocument/documentSymbol', page)).toBeInstanceOf(Array)
      expect(isGivenUp).toBe(false)
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGKILL')
      await editor.kill()
      removeApplication(root)
    }
  },
)
