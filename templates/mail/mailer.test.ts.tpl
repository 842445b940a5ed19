/** The mail "{{title}}". */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
{{imports}}

await testApp(Bootstrap)

describe('the mail {{words}}', () => {
  it('is sent as text and HTML', async () => {
    await {{Mailer}}.send({{samples}})
    const [mail] = await sentMails()
    assert.ok(mail)
    assert.equal(mail.subject, '{{title}}')
    assert.equal(mail.html('h1'), '{{title}}')
    assert.match(mail.text, /{{title}}/)
  })
})
