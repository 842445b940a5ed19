/** `I18n.for`: the messages of the running application for code without a visitor. */
import { expect, test } from 'vitest'
import { I18n } from '../../src/index.ts'
import { serve } from '../support/serve.ts'

const files = {
  'src/main/resources/messages.yml': 'hello: Hello {0}\ndue: Due {0}\n',
  'src/main/resources/messages_de.yml': 'hello: Hallo {0}\n',
}

test('outside of a request, the messages have the language that the code names', async () => {
  const code = 'i18n.no-application'
  expect(() => I18n.for('de')).toThrow(expect.objectContaining({ code }))
  await serve([], { files })
  const german = I18n.for('de')
  expect([german.locale, german.getOrKey('hello', 'Ann')]).toEqual(['de', 'Hallo Ann'])
  expect([german.getOrKey('due', 'May'), german.formatNumber(1.5)]).toEqual(['Due May', '1,5'])
  expect(I18n.for('fr').getOrKey('hello', 'Ann')).toBe('Hello Ann')
})
