/** Compares responses with the application's OpenAPI document. */
import { isIP } from 'node:net'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { OpenApiDocument } from '../../src/tools/openapi.ts'
import type { Page } from '../../src/tools/testing.ts'

type Operation = OpenApiDocument['paths'][string][string]

const clock = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?'

/** Validates a document against the schemas of the OpenAPI Initiative. */
export async function mistakesOf(document: OpenApiDocument): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  return valid ? [] : errors
}

export class ResponseChecker {
  readonly document: OpenApiDocument
  readonly #ajv: Ajv2020

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
    addFormats.default(this.#ajv)
    this.#ajv.addFormat('inet', (text) => isIP(text.replace(/\/\d{1,3}$/, '')) > 0)
    this.#ajv.addFormat('time-local', new RegExp(`^${clock}$`))
    this.#ajv.addFormat('date-time-local', new RegExp(`^\\d{4}-\\d\\d-\\d\\dT${clock}$`))
    this.#ajv.addSchema(document, 'app:')
  }

  #validator(...at: readonly string[]): ValidateFunction {
    const pointer = at.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const found = this.#ajv.getSchema(`app:#/${encodeURI(pointer)}`)
    if (found === undefined) throw new Error(`no schema at ${pointer}`)
    return found
  }

  #errors(validate: ValidateFunction, value: unknown): readonly string[] {
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  /** Returns whether the schema of the operation's JSON body allows the value. */
  allowsRequest(path: string, method: string, value: unknown): boolean {
    const at = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    return this.#errors(this.#validator(...at), value).length === 0
  }

  /**
   * Returns how a response differs from the document; `undefined` if it matches. A route with a documented success
   * must document every status.
   */
  findMismatch(path: string, method: string, page: Page): string | undefined {
    const operation: Operation = this.document.paths[path]![method]!
    const { responses } = operation
    const status = String(page.status)
    const isSpecified = Object.keys(responses).some((one) => one < '400')
    if (!isSpecified && responses[status] === undefined) return undefined
    const documented = responses[status]
    if (documented === undefined) return `status ${status} is not documented`
    for (const name of Object.keys(documented.headers ?? {}))
      if (name === 'Location' && page.location === undefined) return `no ${name}`
    const { content } = documented
    const typed = page.headers.get('content-type')
    if (page.body === '' && typed !== null) return `the type ${typed} without a body`
    if (content === undefined) return page.body === '' ? undefined : `a body: ${page.body}`
    if (page.body === '') return `no body, of ${Object.keys(content).join(', ')}`
    const type = (typed ?? '').split(';', 1)[0]!
    const one = content[type]
    if (one === undefined) return `a body of ${type}`
    if (!type.endsWith('json')) return undefined
    const at = ['paths', path, method, 'responses', status, 'content', type, 'schema'] as const
    const wrong = this.#errors(this.#validator(...at), page.json())
    return wrong.length === 0 ? undefined : `${wrong.join('; ')}: ${page.body}`
  }
}
