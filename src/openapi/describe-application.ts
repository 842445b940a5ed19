/** An application as an OpenAPI 3.1 document, made of the routes that are mounted now. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeMethod } from '../action.ts'
import type { Application, MountedRoute } from '../app.ts'
import { csrfHeader } from '../session.ts'
import { normalPrefix } from '../routing.ts'
import { describeRoute, saidOf, sessionScheme, tokenScheme } from './describe-route.ts'
import type { OpenApiDocument, Operation, SecurityScheme } from './document.ts'
import { groupNames, operationId, routeName } from './named-routes.ts'
import { pathTemplates } from './path-template.ts'
import type { RouteUnderWay } from './route-under-way.ts'
import { schemaName, SchemaSet } from './schema-set.ts'

/** A document, and what it could not say. */
export interface DescribedApplication {
  readonly document: OpenApiDocument
  /** One sentence each: routes that OpenAPI has no words for, forms that could not be asked. */
  readonly notes: readonly string[]
}

const methods: ReadonlySet<string> = new Set('GET PUT POST DELETE OPTIONS HEAD PATCH'.split(' '))
const suffixes = ['json', 'xml']

interface ResourceMembers {
  readonly model?: object
  readonly resourceName?: string
  readonly createFormStrongParameters?: object
}

const membersOf = ({ mounted }: MountedRoute): ResourceMembers =>
  mounted.controllerClass.prototype as ResourceMembers

/** A row is called as the resource over its model, else as its table. */
function rowNames(routes: readonly MountedRoute[]): RouteUnderWay['rowName'] {
  const names = new Map<object, string>()
  for (const route of routes) {
    const { model, resourceName } = membersOf(route)
    if (typeof model === 'object' && typeof resourceName === 'string')
      names.set(model, schemaName(resourceName))
  }
  return (model) => {
    const { table } = model as { readonly table?: unknown }
    return names.get(model) ?? (typeof table === 'string' ? schemaName(table) : undefined)
  }
}

/** What `:format` at the end can be: known of resources. */
const formatsOf = (route: MountedRoute): readonly string[] =>
  membersOf(route).createFormStrongParameters === undefined ? [] : suffixes

/** OpenAPI calls two paths the same that differ in the names of their parameters alone. */
class PathNames {
  readonly #known = new Map<string, string>()

  of(path: string): string {
    const shape = path.replace(/\{\w+\}/g, '{}')
    const known = this.#known.get(shape)
    if (known === undefined) this.#known.set(shape, path)
    return known ?? path
  }
}

/** Why a route is in no document; `undefined` when it can be. */
function unfit({ declared, method, path }: MountedRoute): string | undefined {
  const { matcher } = declared
  if (matcher === undefined)
    return `${method} ${path}: a route without a pattern has no path to describe.`
  if (matcher instanceof RegExp)
    return `${method} ${path}: a regular expression has no path to describe.`
  return methods.has(method) ? undefined : `${method} ${path}: OpenAPI 3.1 has no such method.`
}

/** The name and version of `package.json`. */
function infoOf(root: string): OpenApiDocument['info'] {
  let about: { name?: unknown; version?: unknown; description?: unknown } = {}
  try {
    about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof about
  } catch {
    // An application of one file has none.
  }
  const { name, version, description } = about
  return {
    title: typeof name === 'string' ? name : 'Application',
    version: typeof version === 'string' ? version : '0.0.0',
    ...(typeof description === 'string' ? { description } : {}),
  }
}

function securitySchemes(application: Application): Record<string, SecurityScheme> {
  return {
    [sessionScheme]: {
      type: 'apiKey',
      in: 'cookie',
      name: application.sessions.cookie.name,
      description: "The visitor's session.",
    },
    [tokenScheme]: {
      type: 'apiKey',
      in: 'header',
      name: csrfHeader,
      description:
        'The token of the session, as pages have it in the meta tag csrf-token; forms send it as the field csrf-token.',
    },
  }
}

/** Gathers the operations of all routes. */
class DocumentWriter {
  readonly paths: Record<string, Record<string, Operation>> = {}
  readonly schemas = new SchemaSet()
  readonly notes: string[] = []
  readonly tags = new Map<string, string | undefined>()
  readonly #application: Application
  readonly #names = new PathNames()
  readonly #operationIds = new Set<string>()

  constructor(application: Application) {
    this.#application = application
  }

  async write(): Promise<void> {
    const { routes } = this.#application
    const groupOf = groupNames(routes)
    const rowName = rowNames(routes)
    for (const route of routes) {
      const said = saidOf({ route })
      if (said === undefined) continue
      const why = unfit(route)
      if (why !== undefined) this.notes.push(why)
      else await this.#add(route, groupOf(route), rowName)
    }
  }

  async #add(route: MountedRoute, group: string, rowName: RouteUnderWay['rowName']): Promise<void> {
    const { matcher } = route.declared
    if (matcher === undefined || matcher instanceof RegExp) return
    const method = route.method.toLowerCase()
    for (const template of pathTemplates(matcher, route.prefix, formatsOf(route))) {
      const path = this.#names.of(template.path)
      const names = path.match(/(?<=\{)\w+(?=\})/g) ?? []
      const methodsOfPath = (this.paths[path] ??= {})
      // The first one answers.
      if (methodsOfPath[method] !== undefined) continue
      const at: RouteUnderWay = {
        application: this.#application,
        route,
        isUnsafe: !isSafeMethod(route.method),
        template: { ...template, path, names },
        group,
        name: routeName(route),
        uniqueName: (wanted) => this.#uniqueName(group, wanted),
        schemas: this.schemas,
        notes: this.notes,
        rowName,
      }
      const operation = await describeRoute(at, saidOf(at) ?? {})
      methodsOfPath[method] = operation
      for (const tag of operation.tags)
        this.tags.set(tag, this.tags.get(tag) ?? route.mounted.description.description)
    }
  }

  /** A route with an optional part has several paths; `/a-b` and `/a/b` are called alike. */
  #uniqueName(group: string, wanted: string): string {
    let name = wanted
    for (let count = 2; this.#operationIds.has(operationId(group, name)); count++)
      name = `${wanted}${count}`
    this.#operationIds.add(operationId(group, name))
    return name
  }
}

/**
 * The document of a started application, which need not have a database.
 * @param info title and version, those of its `package.json` unless given
 */
export async function describeApplication(
  application: Application,
  info: Partial<OpenApiDocument['info']> = {},
): Promise<DescribedApplication> {
  const writer = new DocumentWriter(application)
  await writer.write()
  const operations = Object.values(writer.paths).flatMap((path) => Object.values(path))
  const isSecured = operations.some(({ security }) => security !== undefined)
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: { ...infoOf(application.root), ...info },
    servers: [{ url: normalPrefix(application.settings.contextPath) || '/' }],
    tags: [...writer.tags].map(([name, description]) => ({
      name,
      ...(description === undefined ? {} : { description }),
    })),
    paths: writer.paths,
    components: {
      schemas: writer.schemas.schemas,
      ...(isSecured ? { securitySchemes: securitySchemes(application) } : {}),
    },
  }
  return { document, notes: [...new Set(writer.notes)] }
}
