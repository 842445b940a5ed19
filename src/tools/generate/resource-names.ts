/** The names of a resource, in all notations that its files need. */
import { FwError } from '../../runtime/base.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../../runtime/params.ts'
import { unnamedParameters } from '../../runtime/routing.ts'
import { capitalize } from './format-code.ts'
import { invalidArguments } from './project.ts'

/** The reserved words of TypeScript, the names that generated files import, and the globals that they use. */
const reservedNames: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in interface instanceof let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield ' +
    'routes resource model app assert describe it form permitValues belongsTo hasMany hasManyThrough hasOne json ' +
    'defaulted Temporal ParamType FwResource Bootstrap Application controllers s body set required numeric maxLength ' +
    'paramKey testApp Object Array String Number Boolean Error Promise Partial Omit Map Set Date Symbol Readonly'
  ).split(' '),
)

/** The names that no field has: sections of messages, and parameters with values of the path. */
export const reservedFieldNames: readonly string[] = ['flash', 'view', 'enum', ...unnamedParameters]

/** Whether the name must not be used for a generated class or object. */
export const isReserved = (name: string): boolean => reservedNames.has(name)

const invalidName = (name: string, reason: string): FwError =>
  new FwError('generate.name-invalid', `The name '${name}' is invalid: ${reason}.`)

export class Name {
  /** The name in snake case, such as `order_items`, for paths, tables, columns and folders of views. */
  readonly snake: string
  readonly #folder: string

  /** @param folder the folder of a model's file, such as `admin/` @throws FwError `generate.name-invalid` */
  constructor(text: string, folder = '') {
    this.#folder = folder
    this.snake = toSnakeCase(text.replaceAll('-', '_'))
    if (/^[a-z][a-z\d]*(_[a-z\d]+)*$/.test(this.snake) && this.snake.length <= 63) return
    throw invalidName(
      text,
      'use the letters a to z, digits and _, start with a letter, at most 63 characters',
    )
  }

  /** The name in camel case, such as `orderItems`, for objects and fields. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** The name in upper camel case, such as `OrderItems`, for classes. */
  get pascal(): string {
    return toUpperCamelCase(this.snake)
  }

  /** The name in kebab case, such as `order-items`, for files. */
  get kebab(): string {
    return this.snake.replaceAll('_', '-')
  }

  /** The path of a model's file, such as `admin/order-items`. */
  get file(): string {
    return this.#folder + this.kebab
  }

  /** The words in lower case, such as `order items`, for use in a sentence. */
  get words(): string {
    return this.snake.replaceAll('_', ' ')
  }

  /** The words with an initial capital, such as `Order items`, for labels and headings. */
  get title(): string {
    return capitalize(this.words)
  }

  /** The words with their article, such as `an order item`, for use in a sentence. */
  get withArticle(): string {
    return `${/^(?:[aeio]|u[mnpr](?!i))/.test(this.snake) ? 'an' : 'a'} ${this.words}`
  }
}

/** Splits `admin.members` into the namespace `admin` and the name `members`. */
export function parseName(text: string): { namespace: readonly Name[]; name: Name } {
  const parts = text.split(/[./]/).map((part) => new Name(part))
  return { namespace: parts.slice(0, -1), name: parts.at(-1)! }
}

/** Returns a model's name, whose `file` contains the namespace as a folder. */
export const modelName = ({ namespace, name }: Pick<QualifiedName, 'namespace' | 'name'>): Name =>
  new Name(name.snake, namespace.map(({ kebab }) => `${kebab}/`).join(''))

/** A name with its namespace or parent resource. */
export class QualifiedName {
  readonly namespace: readonly Name[]
  readonly name: Name
  readonly parent: ParentNames | undefined
  /** The name prefixed with the parent's: `order_items` for `items` inside `orders`. */
  readonly #prefixed: Name

  constructor(namespace: readonly Name[], name: Name, parent?: ParentNames) {
    this.namespace = namespace
    this.name = name
    this.parent = parent
    this.#prefixed =
      parent === undefined ? name : new Name(`${parent.resource.name.snake}_${name.snake}`)
    if (isReserved(this.camel) || isReserved(name.pascal))
      throw invalidName(name.snake, 'TypeScript or a generated file uses that word')
  }

  /** The path of a file, such as `admin/order-items`. */
  get file(): string {
    return [...this.namespace, this.#prefixed].map(({ kebab }) => kebab).join('/')
  }

  /** The beginning of the controller's class name, such as `OrderItems`. */
  get pascal(): string {
    return this.#prefixed.pascal
  }

  /** The part of a route's path before the resource's name, such as `/admin` or `/orders/:orderId`. */
  get prefix(): string {
    return this.parent === undefined
      ? this.#folder
      : `${this.parent.resources.path}/:${this.parent.param}`
  }

  /** The folder of views, such as `/admin/order_items` or `/orders/items`; without a parent also the routes' path. */
  get path(): string {
    return `${this.#folder}/${this.name.snake}`
  }

  get #folder(): string {
    return this.parent?.resources.path ?? this.namespace.map(({ snake }) => `/${snake}`).join('')
  }

  /** The resource's name in the controllers object and in messages, such as `adminOrderItems`; it is unique there. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** The table's name, such as `admin_order_items`. */
  get snake(): string {
    return [...this.namespace, this.#prefixed].map(({ snake }) => snake).join('_')
  }
}

export interface ResourceNames {
  /** The plural name, for the controller. */
  readonly resources: QualifiedName
  /** The singular name, for the model. */
  readonly resource: QualifiedName
}

/** A primary key that consists of one column. */
export interface ResourceKey {
  /** The name of the key's field. */
  readonly field: string
  /** The TypeScript type of the key. */
  readonly type: 'number' | 'string'
  /** Whether the key needs no percent-encoding in a path. */
  readonly isPlain: boolean
  /** The regular expression that matches the key in a path. */
  readonly pattern: string
  /** Path segments that are not keys of any row. */
  readonly unknown: readonly string[]
}

/** The primary key of generated tables. */
export const plainKey: ResourceKey = {
  field: 'id',
  type: 'number',
  isPlain: true,
  pattern: '\\d+',
  unknown: ['999999', 'x'],
}

type KeyType = Omit<ResourceKey, 'field'>

/** The key types that a resource supports, by the name of their type in `ParamType`. */
export const keyTypes: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ['Short', plainKey],
  ['Int', plainKey],
  ['Long', plainKey],
  ['String', { type: 'string', isPlain: false, pattern: '[^/]+', unknown: ['999999'] }],
  ['Uuid', { type: 'string', isPlain: true, pattern: '[\\da-f-]{36}', unknown: ['x'] }],
])

export interface ParentNames extends ResourceNames {
  /** The path parameter of the parent's id, which is also a field of the nested resource, such as `orderId`. */
  readonly param: string
  readonly key: ResourceKey
  /** The field whose value is the text of a link to the parent; `undefined` if the model has no such field. */
  readonly title: string | undefined
  readonly hasPages: boolean
  /** The field with the owner of the parent's records; `undefined` if they have no owners. */
  readonly scopedBy: string | undefined
}

/** Returns the key of the resource's messages, such as `member`, `adminMember` or `companyMember`. */
export const messageKey = ({ resources, resource }: ResourceNames): string =>
  new QualifiedName(resources.namespace, resource.name, resources.parent).camel

/** Returns the name of the model's table, such as `members` or `admin_members`. */
export const tableName = ({ resources, resource }: ResourceNames): string =>
  new QualifiedName(resource.namespace, resources.name).snake

/**
 * Parses a plural and a singular name: `members member`, `admin.members member` or `admin members member`.
 * @throws FwError `generate.arguments-invalid`, `generate.name-invalid`
 */
export function parseResourceNames(
  words: readonly string[],
  usage: string,
  parent?: ParentNames,
): ResourceNames {
  const [first, second, third] = words
  if (first === undefined || second === undefined || words.length > 3) throw invalidArguments(usage)
  const plural = third === undefined ? first : `${first}.${second}`
  const { namespace, name } = parseName(plural)
  const singular = parseName(third ?? second).name
  if (singular.snake === name.snake)
    throw invalidName(singular.snake, 'plural and singular must differ, such as sheep_list sheep')
  if (parent !== undefined && namespace.length > 0)
    throw invalidName(plural, `inside ${parent.resources.name.snake}, write ${name.snake} alone`)
  if (parent !== undefined && singular.snake === parent.resource.name.snake)
    throw invalidName(singular.snake, 'a resource cannot be inside itself')
  return {
    resources: new QualifiedName(parent?.resources.namespace ?? namespace, name, parent),
    resource: new QualifiedName(parent?.resource.namespace ?? namespace, singular),
  }
}
