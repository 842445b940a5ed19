/** Describes the mounted routes of an application as an OpenAPI 3.1 document. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeMethod } from '../../runtime/action.ts'
import type { Application, MountedRoute } from '../../runtime/app.ts'
import { describeBearer } from '../../runtime/feature.ts'
import { normalizePrefix, type Pattern } from '../../runtime/routing.ts'
import { csrfHeader } from '../../runtime/session.ts'
import { ActionDescriber } from './describe-action.ts'
import { isResource } from './describe-resource.ts'
import {
  bearerScheme,
  describeRoute,
  readDescription,
  sessionScheme,
  tokenScheme,
} from './describe-route.ts'
import type { OpenApiDocument, Operation, SecurityScheme } from './document.ts'
import { groupNames, routeName } from './named-routes.ts'
import { pathTemplates, type PathTemplate, type RouteContext } from './route-context.ts'
import { schemaName, SchemaSet } from './schema-set.ts'
import { openTypeProject, type TypeProject } from './type-project.ts'

/** An OpenAPI document, with notes about what it lacks. */
interface DescribedApplication {
  readonly document: OpenApiDocument
  /** The notes: one sentence for each route that OpenAPI cannot express, and for each form that could not be read. */
  readonly notes: readonly string[]
}

const methods: ReadonlySet<string> = new Set('GET PUT POST DELETE OPTIONS HEAD PATCH'.split(' '))

interface ResourceMembers {
  readonly model?: object
  readonly resourceName?: string
}

const readResourceMembers = ({ mounted }: MountedRoute): ResourceMembers =>
  mounted.controllerClass.prototype as ResourceMembers

/** Returns a function that names the schema of a model's rows, after the model's resource or, without one, after its table. */
function rowNames(routes: readonly MountedRoute[]): RouteContext['rowName'] {
  const names = new Map<object, string>()
  for (const route of routes) {
    const { model, resourceName } = readResourceMembers(route)
    if (typeof model === 'object' && typeof resourceName === 'string')
      names.set(model, schemaName(resourceName))
  }
  return (model) => {
    const { table } = model as { readonly table?: unknown }
    return names.get(model) ?? (typeof table === 'string' ? schemaName(table) : undefined)
  }
}

/** Returns the reason why OpenAPI cannot express the route; `undefined` if it can. */
function findObstacle({ declared, method, path }: MountedRoute): string | undefined {
  const { matcher } = declared
  if (matcher === undefined)
    return `${method} ${path}: a route without a pattern has no path to describe.`
  if (matcher instanceof RegExp)
    return `${method} ${path}: a regular expression has no path to describe.`
  return methods.has(method) ? undefined : `${method} ${path}: OpenAPI 3.1 has no such method.`
}

function readInfo(root: string): OpenApiDocument['info'] {
  let manifest: Readonly<Record<string, unknown>> = {}
  try {
    manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as typeof manifest
  } catch {
    // Ignore a missing package.json, which an application in a single file may lack.
  }
  const { name, version, description, license } = manifest
  return {
    title: typeof name === 'string' ? name : 'Application',
    version: typeof version === 'string' ? version : '0.0.0',
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof license === 'string' ? { license: describeLicense(license) } : {}),
  }
}

/** An SPDX expression, such as `MIT` or `(MIT OR Apache-2.0)`. npm's other values have a meaning of their own. */
const licenseExpression = /^(?!UNLICENSED$|SEE LICENSE)[A-Za-z0-9.+() -]+$/

const describeLicense = (name: string) => ({
  name,
  ...(licenseExpression.test(name) ? { identifier: name } : {}),
})

/** Describes bearer tokens. `bearerFormat` is absent unless the tokens of all routes are JWTs. */
const bearerSecurity = (application: Application): SecurityScheme => {
  const all = application.routes.flatMap(
    (route) => describeBearer(route.settings(), route.method) ?? [],
  )
  return {
    type: 'http',
    scheme: 'bearer',
    ...(all.every(({ isJwt }) => isJwt) ? { bearerFormat: 'JWT' } : {}),
    description: 'A token in the header Authorization. Operations list the scopes that it needs.',
  }
}

const securitySchemes = (application: Application): Record<string, SecurityScheme> => ({
  [bearerScheme]: bearerSecurity(application),
  [sessionScheme]: {
    type: 'apiKey',
    in: 'cookie',
    name: application.sessions.cookie.name,
    description: 'The session cookie.',
  },
  [tokenScheme]: {
    type: 'apiKey',
    in: 'header',
    name: csrfHeader,
    description:
      'The CSRF token of the session, from the meta tag csrf-token of a page. Forms send it as the field csrf-token.',
  },
})

/**
 * Returns a function that returns the first path of the same shape. In OpenAPI, `/members/{id}` and `/members/{name}` are one
 * path.
 */
function firstPaths(): (path: string) => string {
  const byShape = new Map<string, string>()
  return (path) => {
    const shape = path.replace(/\{\w+\}/g, '{}')
    const first = byShape.get(shape) ?? path
    byShape.set(shape, first)
    return first
  }
}

/**
 * Returns a function that returns the first spelling of tags that differ only by case, which some viewers and generators join
 * and others do not. Tags that the application describes come first.
 */
function tagSpelling(routes: readonly MountedRoute[]): RouteContext['tagOf'] {
  const spellings = new Map<string, string>()
  const tagOf = (tag: string): string => {
    const key = tag.toLowerCase()
    const known = spellings.get(key) ?? tag
    spellings.set(key, known)
    return known
  }
  for (const { mounted, name } of routes) {
    const { tag, routes: own } = mounted.description
    for (const one of [...(tag === undefined ? [] : [tag]), ...(own?.[name ?? '']?.tags ?? [])])
      tagOf(one)
  }
  return tagOf
}

/** Describes all routes. Adds the routes that OpenAPI cannot express to `notes`. */
async function describePaths(
  application: Application,
  project: TypeProject | undefined,
  notes: string[],
) {
  const { routes, settings } = application
  const paths: Record<string, Record<string, Operation>> = {}
  /** The description of each tag. */
  const tags = new Map<string, TagText>()
  const schemas = new SchemaSet()
  const sources = project && new ActionDescriber(project, schemas, settings.validation.status)
  const operationIds = new Set<string>()
  const shared = {
    application,
    schemas,
    notes,
    sources,
    operationIds,
    rowName: rowNames(routes),
    tagOf: tagSpelling(routes),
  }
  const groupOf = groupNames(routes)
  const firstPath = firstPaths()
  for (const route of routes) {
    const description = readDescription(route)
    if (description === undefined) continue
    const obstacle = findObstacle(route)
    if (obstacle !== undefined) {
      notes.push(obstacle)
      continue
    }
    const isUnsafe = !isSafeMethod(route.method)
    const named = { route, isUnsafe, group: groupOf(route), name: routeName(route) }
    for (const template of describedPaths(route)) {
      const path = firstPath(template.path)
      const operations = (paths[path] ??= {})
      const method = route.method.toLowerCase()
      // Skip a later route with the same method and path: the router also selects the first route.
      if (operations[method] !== undefined) continue
      const names = path.match(/(?<=\{)\w+(?=\})/g) ?? []
      const context = { ...shared, ...named, template: { ...template, path, names } }
      const operation = await describeRoute(context, description)
      operations[method] = operation
      for (const tag of operation.tags) tags.set(tag, tagText(tags.get(tag), route))
    }
  }
  return { paths, tags, schemas: schemas.schemas }
}

/** The description of a tag: the text of a controller if one has a text, else the names of the controllers. */
interface TagText {
  readonly text: string | undefined
  readonly controllers: ReadonlySet<string>
}

const tagText = (known: TagText | undefined, { mounted, controller }: MountedRoute): TagText => ({
  text: known?.text ?? mounted.description.description,
  controllers: new Set([...(known?.controllers ?? []), controller]),
})

/** The paths with `.xml` are omitted: XML has no schema, and the paths without a suffix describe it by its media type. */
function describedPaths(route: MountedRoute): readonly PathTemplate[] {
  const formats = isResource(route.mounted.controllerClass.prototype as object) ? ['json'] : []
  return pathTemplates(route.declared.matcher as Pattern, route.prefix, formats)
}

interface DescribeOptions {
  /** Whether to read the types of hand-written actions from the source code, which takes about a second. Default false. */
  readonly sources?: boolean
}

/** Returns the OpenAPI document of an application. The application must have been started; it needs no database. */
export async function describeApplication(
  application: Application,
  { sources = false }: DescribeOptions = {},
): Promise<DescribedApplication> {
  const notes: string[] = []
  const project = sources ? await openTypeProject(application.root, notes) : undefined
  const described = describePaths(application, project, notes)
  const { paths, tags, schemas } = await described.finally(() => project?.close())
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const used = new Set(
    operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))),
  )
  const schemes = Object.entries(securitySchemes(application)).filter(([name]) => used.has(name))
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: readInfo(application.root),
    servers: [{ url: normalizePrefix(application.settings.contextPath) || '/' }],
    tags: [...tags].map(([name, { text, controllers }]) => ({
      name,
      description: text ?? `The routes of ${[...controllers].join(', ')}.`,
    })),
    paths,
    components: {
      schemas,
      ...(schemes.length > 0 ? { securitySchemes: Object.fromEntries(schemes) } : {}),
    },
  }
  return { document, notes: [...new Set(notes)] }
}
