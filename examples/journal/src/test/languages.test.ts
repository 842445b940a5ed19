/** Three languages: no text is missing, and numbers have their plural forms. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { createArticle } from '#test/factory/article'
import { createComment } from '#test/factory/comment'

const app = await testApp(Bootstrap)
const resources = join(import.meta.dirname, '../main/resources')

/** The keys of a file of messages: each line's key with those above it. */
async function keysOf(file: string): Promise<Set<string>> {
  const keys = new Set<string>()
  const path: string[] = []
  for (const line of (await readFile(join(resources, file), 'utf8')).split('\n')) {
    const [, indent, key] = /^( *)(\w+):/.exec(line) ?? []
    if (indent === undefined || key === undefined) continue
    path.splice(indent.length / 2, Infinity, key)
    keys.add(path.join('.'))
  }
  return keys
}

describe('the languages', () => {
  for (const file of ['messages_de.yml', 'messages_pl.yml'])
    it(`have all texts: ${file}`, async () => {
      const [own, all] = [await keysOf(file), await keysOf('messages.yml')]
      assert.deepEqual(
        [...all].filter((key) => !own.has(key)),
        [],
      )
    })

  for (const [language, texts] of [
    ['en', ['No comments', '1 comment', '2 comments', '5 comments']],
    ['de', ['Keine Kommentare', '1 Kommentar', '2 Kommentare', '5 Kommentare']],
    ['pl', ['Brak komentarzy', '1 komentarz', '2 komentarze', '5 komentarzy']],
  ] as const)
    it(`count in ${language}`, async () => {
      const { id } = await createArticle()
      const shown: (string | undefined)[] = []
      for (const missing of [0, 1, 1, 3]) {
        for (let at = 0; at < missing; at++) await createComment({ articleId: id })
        const page = await app.get(`/articles/${id}/the-first-snow`, {
          headers: { 'accept-language': language },
        })
        shown.push(page.html('#comments-title'))
      }
      assert.deepEqual(shown, texts)
    })

  it('are the browser’s at first, then the chosen one', async () => {
    await createArticle()
    const visitor = app.session()
    const headers = { 'accept-language': 'de-AT, en;q=0.5' }
    const german = await visitor.get('/tags', { headers })
    assert.equal(german.attribute('html', 'lang'), 'de')
    assert.equal(german.headers.get('vary')?.includes('Accept-Language'), true)
    const chosen = await visitor.post('/locale', { form: { locale: 'pl', back: '/tags' } })
    assert.equal(chosen.location, '/tags')
    const polish = await visitor.get('/tags', { headers })
    assert.deepEqual([polish.attribute('html', 'lang'), polish.html('h1')], ['pl', 'Tematy'])
    const date = (await visitor.get('/', { headers })).html('time')
    assert.equal(date, '2 stycznia 2026')
    const away = await visitor.post('/locale', { form: { locale: 'en', back: '//evil.example' } })
    assert.equal(away.location, '/')
  })
})
