/** Full-text search: word forms, phrases, exclusion, drafts, pages, and the index. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { currentDatabase } from 'fwjs/db'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { createArticle, createDraft } from '#test/factory/article'

const app = await testApp(Bootstrap)
const search = (q: string, page = '1') => app.get('/search', { query: { q, page } })

describe('the search', () => {
  it('finds word forms, phrases and what is without a word', async () => {
    await createArticle({ title: 'Walking home', body: 'Over the old bridges.' })
    await createArticle({ title: 'Bridge', body: 'A card game.' })
    await createDraft({ title: 'Bridges' })
    const titles = async (q: string) => (await search(q)).all('h2').toSorted()
    assert.deepEqual(await titles('bridge'), ['Bridge', 'Walking home'])
    assert.deepEqual(await titles('walks'), ['Walking home'])
    assert.deepEqual(await titles('"old bridges"'), ['Walking home'])
    assert.deepEqual(await titles('bridge -game'), ['Walking home'])
    assert.deepEqual(await titles('nothing'), [])
  })

  it('says how many articles it has found', async () => {
    await createArticle({ title: 'Tide' })
    assert.equal((await search('tide')).html('[role=status]'), '1 article for “tide”')
    assert.equal((await search('<b>')).html('[role=status]'), 'Nothing found for “<b>”')
    assert.equal((await search(' ')).html('[role=status]'), undefined)
  })

  it('has pages', async () => {
    for (let at = 0; at < 11; at++) await createArticle({ title: `Tide ${at}` })
    const first = await search('tide')
    assert.equal(first.all('h2').length, 10)
    const second = await app.get(first.attribute('a[rel=next]', 'href')!)
    assert.equal(second.all('h2').length, 1)
    assert.equal(second.html('.pages span'), 'Page 2 of 2')
  })

  it('has an index with the expression of the query', async () => {
    await createArticle()
    const database = currentDatabase()
    const explained = await database.transaction(async () => {
      await database.query({ sql: 'set local enable_seqscan = off', parameters: [] })
      const document = `to_tsvector('english', coalesce(articles.title, '') || ' ' || coalesce(articles.summary, '') || ' ' || coalesce(articles.body, ''))`
      const sql = `explain select id from articles where ${document} @@ websearch_to_tsquery('english', 'snow')`
      return database.query({ sql, parameters: [] })
    })
    assert.match(JSON.stringify(explained.rows), /articles_search/)
  })
})
