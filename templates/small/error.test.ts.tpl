{{comment}}
import assert from 'node:assert/strict'
import { it } from 'node:test'
{{temporalImport}}
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

// Rethrows the error of the application, with its stack.
const app = await testApp(Bootstrap, { throwFaults: true })

it({{name}}, async () => {
  {{rows}}
  {{visitor}}
  const page = await {{client}}.request({{method}}, {{path}}{{options}})
  assert.ok(page.status < 500)
})
