/** Pages and forms of a generated application show and read times in the visitor's time zone. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { testApp, type Page, type Visitor } from '../../src/tools/testing.ts'
import { change, generate, linkSources, newFolder, removeFolder } from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
generate(root, 'scaffold meetings meeting name:String startsAt:DateTime plannedFor:LocalDateTime?')
linkSources(root)
const settings = join(root, 'src/main/resources/application.yml')
writeFileSync(settings, `${readFileSync(settings, 'utf8')}\ni18n:\n  timeZone: Europe/Berlin\n`)
change(
  root,
  'src/main/controller/application-controller.ts',
  '    this.protectFromForgery()\n',
  `    this.protectFromForgery()
    this.beforeAction((controller) => {
      const zone = controller.params.get('zone')
      if (zone !== undefined) controller.ctx.timeZone = zone
    })
`,
)
const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })

let visitor: Visitor
beforeEach(async () => {
  visitor = app.session()
  await visitor.get('/meetings/new')
})

const form = { name: 'Talk', startsAtDate: '2024-07-01', startsAtTime: '10:00:00' }

async function create(fields: Readonly<Record<string, string>>): Promise<string> {
  const created = await visitor.post('/meetings', { form: { ...form, ...fields } })
  expect([created.status, created.body]).toEqual([302, ''])
  return new URL(created.location!, 'http://x').pathname
}

const stored = async (path: string): Promise<string> =>
  (await visitor.get(`${path}.json`)).json().starts_at

const inputs = (page: Page) =>
  ['startsAtDate', 'startsAtTime'].map((name) => page.attribute(`input[name="${name}"]`, 'value'))

const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test('a time is read and shown in the zone of the configuration, and in that of the visitor', async () => {
  const path = await create({})
  expect(await stored(path)).toBe('2024-07-01T08:00:00Z')
  expect(plain((await visitor.get(path)).body)).toContain('>Jul 1, 2024, 10:00 AM<')
  const edit = await visitor.get(`${path}/edit`)
  expect(inputs(edit)).toEqual(['2024-07-01', '10:00:00'])
  expect(edit.html('label[for="startsAt"]')).toContain('Central European Time')
  expect(edit.html('label[for="plannedFor"]')).not.toContain('Time')

  await visitor.get('/meetings?zone=Asia%2FKolkata')
  expect(plain((await visitor.get(path)).body)).toContain('>Jul 1, 2024, 1:30 PM<')
  const other = await visitor.get(`${path}/edit`)
  expect(inputs(other)).toEqual(['2024-07-01', '13:30:00'])
  expect(other.html('label[for="startsAt"]')).toContain('India Standard Time')
  expect(await stored(await create({}))).toBe('2024-07-01T04:30:00Z')

  // An unknown zone selects that of the configuration.
  await visitor.get('/meetings?zone=Europe%2FAtlantis')
  expect(inputs(await visitor.get(`${path}/edit`))).toEqual(['2024-07-01', '10:00:00'])
})

test('a form keeps the zone in which it was shown, also if it is shown again', async () => {
  const path = await create({})
  const edit = await visitor.get(`${path}/edit`)
  const zone = edit.attribute('input[name="_timeZone"]', 'value') ?? ''
  expect(zone).toBe('Europe/Berlin')
  // The visitor chooses another zone in another tab.
  await visitor.get('/meetings?zone=Asia%2FKolkata')
  const again = await visitor.post(path, { form: { ...form, name: '', _timeZone: zone } })
  expect(again.status).toBe(400)
  expect(inputs(again)).toEqual(['2024-07-01', '10:00:00'])
  expect(again.attribute('input[name="_timeZone"]', 'value')).toBe(zone)
  expect(again.html('label[for="startsAt"]')).toContain('Central European Time')
  expect((await visitor.post(path, { form: { ...form, _timeZone: zone } })).status).toBe(302)
  expect(await stored(path)).toBe('2024-07-01T08:00:00Z')
  // The session still has the zone that the visitor chose; a text that names no zone changes nothing.
  expect(inputs(await visitor.get(`${path}/edit`))).toEqual(['2024-07-01', '13:30:00'])
  expect(await stored(await create({ _timeZone: 'Europe/Atlantis' }))).toBe('2024-07-01T04:30:00Z')
})

test('times of programs, with a zone or without a day are not shifted', async () => {
  const token = (await visitor.get('/meetings/new')).attribute('meta[name="csrf-token"]', 'content')
  const headers = { 'x-csrf-token': token ?? '' }
  const json = { name: 'Talk', startsAt: '2024-07-01T10:00:00', plannedFor: '2024-07-01T10:00:00' }
  const created = await visitor.post('/meetings.json', { json, headers })
  expect(created.json()).toMatchObject({
    starts_at: '2024-07-01T10:00:00Z',
    planned_for: '2024-07-01T10:00:00',
  })
  const page = await visitor.post('/meetings', {
    form: {
      name: 'Talk',
      startsAt: '2024-07-01T10:00:00-04:00',
      plannedForDate: '2024-07-01',
      plannedForTime: '10:00',
    },
  })
  const path = new URL(page.location!, 'http://x').pathname
  expect((await visitor.get(`${path}.json`)).json()).toMatchObject({
    starts_at: '2024-07-01T14:00:00Z',
    planned_for: '2024-07-01T10:00:00',
  })
})

test('an unchanged time survives an edit, also in the hour that a clock shows twice', async () => {
  const token = (await visitor.get('/meetings/new')).attribute('meta[name="csrf-token"]', 'content')
  const headers = { 'x-csrf-token': token ?? '' }
  for (const startsAt of ['2024-10-27T00:30:00.123456Z', '2024-10-27T01:30:00.123456Z']) {
    const created = await visitor.post('/meetings.json', {
      json: { name: 'Talk', startsAt },
      headers,
    })
    const path = new URL(created.location!, 'http://x').pathname.replace('.json', '')
    const edit = await visitor.get(`${path}/edit`)
    expect(inputs(edit)).toEqual(['2024-10-27', '02:30:00'])
    const exact = edit.attribute('input[name="startsAtExact"]', 'value') ?? ''
    const sent = {
      name: 'Other',
      startsAtDate: '2024-10-27',
      startsAtTime: '02:30',
      startsAtExact: exact,
    }
    expect((await visitor.post(path, { form: sent })).status).toBe(302)
    expect((await visitor.get(`${path}.json`)).json()).toMatchObject({
      name: 'Other',
      starts_at: startsAt,
    })
  }
})

test('a time that the clock skips is an hour later', async () => {
  const path = await create({ startsAtDate: '2024-03-31', startsAtTime: '02:30' })
  expect(await stored(path)).toBe('2024-03-31T01:30:00Z')
  expect(inputs(await visitor.get(`${path}/edit`))).toEqual(['2024-03-31', '03:30:00'])
})

test('a form that is shown again keeps the time as it was entered', async () => {
  const page = await visitor.post('/meetings', { form: { ...form, name: '' } })
  expect(page.status).toBe(400)
  expect(inputs(page)).toEqual(['2024-07-01', '10:00:00'])
})
