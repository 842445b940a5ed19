/** The files of forms. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { storeAttachment } from '#model/attachment'
import { defaultUser } from '#test/default-user'
import { createAttachment } from '#test/factory/attachment'

const app = await testApp(Bootstrap)

describe('attachments', () => {
  it('are saved under their name', async () => {
    const visitor = app.session().as(await defaultUser())
    const file = await visitor.get(`/attachments/${await createAttachment()}`)
    assert.equal(file.body, 'data')
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="note.txt"')
  })

  it('open in the browser if they are images, and have a preview', async () => {
    const visitor = app.session().as(await defaultUser())
    const id = await storeAttachment('a.html', Buffer.from('GIF89a<script>'))
    for (const path of [`/attachments/${id}`, `/attachments/${id}/preview`]) {
      const image = await visitor.get(path)
      assert.equal(image.headers.get('content-type'), 'image/gif')
      assert.equal(image.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  it('have an icon as their preview if they are no images', async () => {
    const visitor = app.session().as(await defaultUser())
    const page = await visitor.get(`/attachments/${await createAttachment()}/preview`)
    assert.equal(page.location, '/assets/file.svg')
  })

  it('answer 404 for an unknown key', async () => {
    const visitor = app.session().as(await defaultUser())
    for (const id of ['01890a5d-ac96-774b-bcce-b302099a8057', 'x'])
      assert.equal((await visitor.get(`/attachments/${id}`)).status, 404)
  })
})
