/** The pages of views with rows: they show records, search, filter and sort, and write nothing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { permitValues } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Artist } from '#model/artist'
import { createArtist } from '#test/factory/artist'
import { createFestival } from '#test/factory/festival'
import { createPerformance } from '#test/factory/performance'
import { createSponsor } from '#test/factory/sponsor'

const app = await testApp(Bootstrap)
const sql = (text: string, ...parameters: unknown[]) =>
  currentDatabase().query({ sql: text, parameters })

async function addArtists(...names: readonly string[]): Promise<number> {
  const style = { style: 'rock', founded: 1970 }
  for (const name of names)
    await Artist.create(permitValues({ name, ...style }, 'name', 'style', 'founded'))
  return createArtist({ style: 'folk' })
}

describe('an enum of the database', () => {
  const read = async (id: number) => (await Artist.findById(id))!

  it('is a select in forms, with its labels, and refuses others at the field', async () => {
    const id = await createArtist({ encore: 'folk' })
    const visitor = app.session()
    const form = await visitor.get(`/artists/${id}/edit`)
    assert.equal(form.attribute('#encore option[selected]', 'value'), 'folk')
    assert.deepEqual(form.all('#style option').slice(-4), ['rock', 'folk', "drum'n'bass", 'other'])
    const post = (fields: Readonly<Record<string, string>>) =>
      visitor.post(`/artists/${id}`, { form: { name: 'Ann', style: 'rock', fee: '1', ...fields } })
    for (const fields of [{ style: 'jazz' }, { encore: 'jazz' }, { also: 'rock\njazz' }]) {
      const refused = await post(fields)
      assert.equal(refused.status, 400)
      assert.equal(refused.all(`#${Object.keys(fields)[0]}-error`).length, 1)
    }
    const saved = await post({ style: "drum'n'bass", encore: '', also: 'rock\nother', years: '1999' })
    assert.equal(saved.status, 302)
    const { style, encore, also, years } = await read(id)
    assert.deepEqual([style, encore, also, years], ["drum'n'bass", undefined, ['rock', 'other'], ['1999']])
    const shown = await visitor.get(`/artists/${id}.json`)
    assert.deepEqual([shown.json().also, shown.json().years], [['rock', 'other'], ['1999']])
  })

  it('filters lists', async () => {
    await createArtist({ style: 'folk' })
    const count = async (style: string) => (await app.get('/artists', { query: { style } })).all('tbody tr').length
    assert.deepEqual([await count('folk'), await count('rock')], [1, 0])
  })
})

describe('a view of one table', () => {
  it('shows its rows, with a link to each', async () => {
    await addArtists('Ann', 'Ben')
    const list = await app.get('/rock_artists')
    assert.deepEqual(list.all('tbody td:first-child'), ['Ann', 'Ben'])
    const shown = await app.get(list.attribute('tbody a', 'href') ?? '')
    assert.equal(shown.html('h1'), 'Ann')
    for (const page of [list, shown]) assert.deepEqual(page.all('main form[method=post], main .button'), [])
    const { id } = (await app.get('/rock_artists.json')).json()[0]
    const { is_band: isBand, style } = (await app.get(`/rock_artists/${id}.json`)).json()
    assert.deepEqual([isBand, style], [true, 'rock'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await app.request(method, `/rock_artists/${id}`)).status, 405)
  })

  it('has no row that the view leaves out', async () => {
    const id = await addArtists()
    assert.equal((await app.get(`/rock_artists/${id}`)).status, 404)
  })

  it('searches and filters', async () => {
    await addArtists('Ann', 'Ben')
    const names = async (query: Readonly<Record<string, string>>) =>
      (await app.get('/rock_artists', { query })).all('tbody td:first-child')
    assert.deepEqual(await names({ q: 'be' }), ['Ben'])
    assert.deepEqual(await names({ style: 'folk' }), [])
    assert.deepEqual(await names({ isBand: 'true' }), ['Ann', 'Ben'])
    assert.deepEqual((await app.get('/rock_artists')).all('form.search option').length, 8)
  })

  it('has pages of a list', async () => {
    await addArtists('a', 'b', 'c')
    const first = await app.get('/rock_artists', { query: { size: 2 } })
    const second = await app.get(first.attribute('[rel=next]', 'href') ?? '')
    assert.deepEqual(second.all('tbody td:first-child'), ['c'])
  })

  it('has the key of the table also through a second view', async () => {
    await addArtists('Ann')
    const { no } = (await app.get('/old_rocks.json')).json()[0]
    assert.equal((await app.get(`/old_rocks/${no}.json`)).json().stage_name, 'Ann')
  })

  it('may have a text as its key', async () => {
    const slug = await createFestival({ slug: 'a b/c?d', isOpen: true })
    const list = await app.get('/open_festivals')
    const path = `/open_festivals/${encodeURIComponent(String(slug))}`
    assert.equal(list.attribute('tbody a', 'href'), path)
    assert.equal((await app.get(path)).status, 200)
  })
})

describe('a materialized view with a unique index', () => {
  it('shows its rows after a refresh', async () => {
    const [slug, sponsor] = [await createFestival(), await createSponsor()]
    await sql('insert into festival_sponsor values ($1, $2, 7.5)', slug, sponsor)
    await sql('refresh materialized view sponsor_total')
    const list = await app.get('/sponsor_totals')
    assert.equal(list.attribute('tbody a', 'href'), `/sponsor_totals/${sponsor}`)
    const shown = await app.get(`/sponsor_totals/${sponsor}.json`)
    assert.deepEqual(shown.json(), { sponsor_id: sponsor, festivals: 1, amount: '7.50' })
  })
})

describe('a view without a known key', () => {
  it('has only a list, with pages, order, search and filters', async () => {
    for (let count = 0; count < 3; count++) await createPerformance()
    const list = await app.get('/programmes', { query: { size: 2 } })
    assert.equal(list.all('tbody tr').length, 2)
    assert.deepEqual(list.all('tbody a, main .button'), [])
    assert.equal(list.all('thead a').length, 5)
    const ids = async (query: Readonly<Record<string, string>>): Promise<number[]> =>
      (await app.get('/programmes.json', { query }))
        .json()
        .map(({ performance_id: id }: { performance_id: number }) => id)
    const all = await ids({})
    assert.deepEqual(all, all.toSorted((a, b) => a - b))
    assert.deepEqual(await ids({ sort: '-performanceId' }), all.toReversed())
    const next = await app.get(list.attribute('[rel=next]', 'href') ?? '')
    assert.equal(next.all('tbody tr').length, 1)
    const last = await app.get(list.attribute('[rel=last]', 'href') ?? '')
    assert.equal(last.all('tbody tr').length, 2)
    assert.deepEqual(await ids({ q: 'no such artist' }), [])
    assert.equal((await ids({ style: 'rock' })).length, 3)
    assert.equal((await app.get(`/programmes/${all[0]}`)).status, 404)
  })
})
