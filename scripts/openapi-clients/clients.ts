/** The generators and consumers of OpenAPI documents that `try-openapi-clients` tries, each with a program that uses the client. */

/** A client. Its folder contains the document as `openapi.json`, and as the constant `document` in `openapi.ts`. */
export interface Client {
  readonly name: string
  /** The packages with their versions. */
  readonly packages: readonly string[]
  /** Files to write before the commands, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The commands of the packages that generate the client; `> file` writes the output to a file. */
  readonly commands?: readonly string[]
  /** A program that creates a record with the values `FIELDS`, and prints `created` and its id. */
  readonly usage: string
}

const baseUrl = `const baseUrl = process.env['BASE_URL'] ?? ''`
const report = (id: string): string => `console.log('created ' + ${id})`

export const clients: readonly Client[] = [
  {
    name: 'openapi-fetch',
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
    commands: ['openapi-typescript openapi.json -o schema.d.ts'],
    usage: `
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'
${baseUrl}
const client = createClient<paths>({ baseUrl })
const { data, error } = await client.POST('/tasks.json', { body: FIELDS })
if (data === undefined) throw new Error(JSON.stringify(error))
${report('data.id')}
const shown = await client.GET('/tasks/{id}.json', { params: { path: { id: data.id } } })
const text: string | undefined = shown.data?.text
if (text !== data.text) throw new Error('the text differs')
`,
  },
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts@0.99.0'],
    commands: ['openapi-ts -i openapi.json -o client'],
    usage: `
import { client } from './client/client.gen'
import { tasksCreateApi } from './client/sdk.gen'
${baseUrl}
client.setConfig({ baseUrl })
const { data, error } = await tasksCreateApi({ body: FIELDS })
if (data === undefined) throw new Error(JSON.stringify(error))
${report('data.id')}
`,
  },
  {
    name: 'orval',
    packages: ['orval@8.38.0'],
    files: {
      'orval.config.mjs': `export default {
  tasks: {
    input: 'openapi.json',
    output: { target: 'client/api.ts', client: 'fetch', baseUrl: process.env.BASE_URL },
  },
}
`,
    },
    commands: ['orval --config orval.config.mjs'],
    usage: `
import { tasksCreateApi } from './client/api'
const response = await tasksCreateApi(FIELDS)
if (response.status !== 201) throw new Error(JSON.stringify(response.data))
${report('response.data.id')}
`,
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api@13.13.0'],
    commands: ['swagger-typescript-api generate -p openapi.json -o client -n api.ts'],
    usage: `
import { Api } from './client/api'
${baseUrl}
const api = new Api({ baseUrl })
const { data } = await api.tasksJson.tasksCreateApi(FIELDS)
${report('data.id')}
`,
  },
  {
    name: 'openapi-typescript-codegen',
    packages: ['openapi-typescript-codegen@0.31.0'],
    commands: ['openapi --input openapi.json --output client'],
    usage: `
import { OpenAPI, TaskForm, TasksService } from './client'
OpenAPI.BASE = process.env['BASE_URL'] ?? ''
// The generator makes a TypeScript enum of an enum.
const task = await TasksService.tasksCreateApi({ ...FIELDS, state: TaskForm.state.OPEN })
// The generator adds the type of the default response, an error, to the type of the success.
if (!('id' in task)) throw new Error(task.message)
${report('task.id')}
`,
  },
  {
    name: 'kubb',
    packages: [
      '@kubb/cli@4.39.3',
      '@kubb/core@4.39.3',
      '@kubb/plugin-oas@4.39.3',
      '@kubb/plugin-ts@4.39.3',
      '@kubb/plugin-client@4.39.3',
      'prettier@3.7.4',
    ],
    files: {
      'kubb.config.js': `import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'
export default defineConfig({
  root: '.',
  input: { path: './openapi.json' },
  output: { path: './client', clean: true },
  plugins: [
    pluginOas(),
    pluginTs(),
    pluginClient({ client: 'fetch', baseURL: process.env.BASE_URL }),
  ],
})
`,
    },
    commands: ['kubb generate'],
    usage: `
import { tasksCreateApi } from './client/clients/tasksCreateApi'
// The client sends JSON without its type, and does not check the status.
const headers = { 'content-type': 'application/json' }
const task = await tasksCreateApi(FIELDS, { headers })
${report('task.id')}
`,
  },
  {
    name: 'openapi-zod-client',
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1.21.1', 'zod@3.25.76'],
    commands: ['openapi-zod-client openapi.json -o client.ts --export-schemas'],
    usage: `
import { createApiClient } from './client'
${baseUrl}
const api = createApiClient(baseUrl)
const task = await api.post('/tasks.json', FIELDS)
${report('task.id')}
`,
  },
  {
    name: 'oazapfts',
    packages: ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0'],
    commands: ['oazapfts openapi.json client.ts'],
    usage: `
import { defaults, tasksCreateApi } from './client'
defaults.baseUrl = process.env['BASE_URL'] ?? ''
const response = await tasksCreateApi(FIELDS)
// The default response has the status number, so that the status does not select the type.
if (!('id' in response.data)) throw new Error(JSON.stringify(response.data))
${report('response.data.id')}
`,
  },
  {
    name: 'fets',
    packages: ['fets@0.8.12'],
    usage: `
import { createClient, type NormalizeOAS } from 'fets'
import type { document } from './openapi'
const endpoint = process.env['BASE_URL'] ?? ''
// The type of \`endpoint\` is the URL of the document's server, here only a path.
type Api = NormalizeOAS<Omit<typeof document, 'servers'>>
const client = createClient<Api>({ endpoint })
const response = await client['/tasks.json'].post({ json: FIELDS })
if (response.status !== 201) throw new Error(await response.text())
const task = await response.json()
${report('task.id')}
`,
  },
  {
    name: 'rtk-query',
    packages: ['@rtk-query/codegen-openapi@2.2.0', '@reduxjs/toolkit@2.15.0'],
    files: {
      'base.ts': `import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query'
export const base = createApi({
  baseQuery: fetchBaseQuery({ baseUrl: process.env['BASE_URL'] ?? '' }),
  endpoints: () => ({}),
})
`,
      'config.cjs': `module.exports = {
  schemaFile: './openapi.json',
  apiFile: './base.ts',
  apiImport: 'base',
  outputFile: './client.ts',
  exportName: 'api',
  hooks: false,
}
`,
    },
    commands: ['rtk-query-codegen-openapi config.cjs'],
    usage: `
import { configureStore } from '@reduxjs/toolkit'
import { api } from './client'
const store = configureStore({
  reducer: { [api.reducerPath]: api.reducer },
  middleware: (defaults) => defaults().concat(api.middleware),
})
const task = await store
  .dispatch(api.endpoints.tasksCreateApi.initiate({ taskForm: FIELDS }))
  .unwrap()
${report('task.id')}
process.exit()
`,
  },
  {
    name: 'openapi-client-axios',
    packages: ['openapi-client-axios@7.9.1', 'openapi-client-axios-typegen@7.8.0', 'axios@1.21.1'],
    commands: ['typegen openapi.json > client.d.ts'],
    usage: `
import { OpenAPIClientAxios, type Document } from 'openapi-client-axios'
import type { Client } from './client'
import { document } from './openapi'
const definition = document as unknown as Document
const api = new OpenAPIClientAxios({
  definition,
  axiosConfigDefaults: { baseURL: process.env['BASE_URL'] ?? '' },
})
const client = await api.init<Client>()
const { data } = await client.tasksCreateApi(null, FIELDS)
${report('data.id')}
`,
  },
  {
    name: 'typed-openapi',
    packages: ['typed-openapi@2.2.7'],
    commands: ['typed-openapi openapi.json -o client.ts'],
    usage: `
import { createApiClient } from './client'
${baseUrl}
const api = createApiClient(
  {
    fetch: ({ method, url, parameters }) =>
      fetch(url, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters?.body),
      }),
  },
  baseUrl,
)
const task = await api.post('/tasks.json', { body: FIELDS })
${report('task.id')}
`,
  },
]
