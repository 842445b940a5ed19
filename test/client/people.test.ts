/** Both kinds of clients have the types of what a resource sends: its view, and no hidden fields. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { FwLifeCycle, startApplication, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { fetchHandler } from '../../src/runtime/server.ts'
import { describeApplication, generateClient } from '../../src/tools/openapi.ts'
import { temporaryFolder } from '../support/serve.ts'
import * as generated from './people/api.ts'
import { authors, people, type controllers } from './people/controllers.ts'

interface Person {
  readonly id: number
  readonly first_name: string
  readonly born_on: string | null
}
interface Author {
  readonly first_name: string
  readonly name_length: number | null
  readonly all_notes: readonly { readonly person_id: number }[]
}
type Result<B> = Promise<
  { readonly ok: true; readonly body: B } | { readonly ok: false; readonly body: unknown }
>

interface Operations {
  readonly people: () => Result<readonly Person[]>
  readonly person: (id: number) => Result<Person>
  readonly authors: () => Result<readonly Author[]>
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

function typed(fetch: Fetch): Operations {
  const api = createClient<typeof controllers>({ fetch })
  return {
    people: () => api.get('/people.json'),
    person: (id) => api.get('/people/:id.json', { path: { id } }),
    authors: () => api.get('/authors.json'),
  }
}

function written(fetch: Fetch): Operations {
  const client = generated.createClient({ fetch })
  return {
    people: () => generated.peopleIndexApi(client),
    person: (id) => generated.peopleShowApi(client, { path: { id } }),
    authors: () => generated.authorsIndexApi(client),
  }
}

/** A type with other members than `T` is not assignable to it, nor `T` to that type. */
type Exactly<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type BodyOf<R> = Extract<Awaited<R>, { readonly ok: true; readonly body: unknown }>['body']
const api = createClient<typeof controllers>()
const list = () => api.get('/authors.json')
export const exact: Exactly<BodyOf<ReturnType<typeof list>>[number], Author> = true

let engine: OpenEngine
beforeAll(async () => {
  engine = await engines[0]!.open()
  useDatabase(engine.database)
  const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })
  await query(`create table people (id bigserial primary key, first_name text not null,
    born_on date, password text not null)`)
  await query('create table notes (id bigserial primary key, person_id bigint not null)')
  await query("insert into people (first_name, password) values ('Ann', 'secret')")
  await query('insert into notes (person_id) values (1)')
})
afterAll(async () => {
  useDatabase(undefined)
  await engine.close()
})

class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    people.mount(ctx)
    authors.mount(ctx)
  }
}

/** The application ends with the test. */
async function start() {
  const options = { root: temporaryFolder(), logger: silentLogger, database: false } as const
  const application = await startApplication(new Bootstrap(), options)
  onTestFinished(() => application.close())
  const handle = fetchHandler(application.handle)
  const fetch: Fetch = async (url, init) =>
    await handle(new Request(`http://localhost${url}`, init))
  return { application, fetch }
}

describe.each([
  ['the client by type import', typed],
  ['the generated client', written],
])('%s', (_kind, operations) => {
  test('reads rows without hidden fields, with null for NULL', async () => {
    const { people: list, person } = operations((await start()).fetch)
    const row: Person = { id: 1, first_name: 'Ann', born_on: null }
    expect((await list()).body).toEqual([row])
    expect((await person(1)).body).toEqual(row)
  })

  test('reads rows as the view of the resource has them', async () => {
    const row: Author = { first_name: 'Ann', name_length: 3, all_notes: [{ person_id: 1 }] }
    expect((await operations((await start()).fetch).authors()).body).toEqual([row])
  })
})

test('the generated client is up to date; update it with vitest -u', async () => {
  const { document } = await describeApplication((await start()).application)
  await expect(generateClient(document)).toMatchFileSnapshot('people/api.ts')
})
