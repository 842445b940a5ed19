/** The names of a resource in every spelling that its files need. */
import { FwError } from '../../runtime/base.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../../runtime/params.ts'

const reservedWords =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
  'false finally for function if implements import in interface instanceof let new null package private protected ' +
  'public return static super switch this throw true try typeof undefined var void while with yield'

/** What generated files import, and the globals that they use. */
const usedNames =
  'routes resource model app assert describe it form permitValues belongsTo hasMany hasManyThrough hasOne json defaulted Temporal ParamType ' +
  'FwResource Bootstrap Application controllers s body set required numeric maxLength paramKey testApp ' +
  'Object Array String Number Boolean Error Promise Partial Omit Map Set Date Symbol Readonly'

const reservedNames: ReadonlySet<string> = new Set(`${reservedWords} ${usedNames}`.split(' '))

/** Whether no generated class or object may have the name. */
export const isReserved = (name: string): boolean => reservedNames.has(name)

export const invalidName = (name: string, reason: string): FwError =>
  new FwError('generate.name-invalid', `The name '${name}' is invalid: ${reason}.`)

/** A name of one or more words. */
export class Name {
  /** `order_items`: paths, tables, columns, folders of views. */
  readonly snake: string
  readonly #folder: string

  /** @param folder of a model's file, such as `admin/` @throws FwError `generate.name-invalid` */
  constructor(text: string, folder = '') {
    this.#folder = folder
    this.snake = toSnakeCase(text.replaceAll('-', '_'))
    if (/^[a-z][a-z\d]*(_[a-z\d]+)*$/.test(this.snake) && this.snake.length <= 63) return
    throw invalidName(text, 'use letters, digits and _, start with a letter, at most 63 characters')
  }

  /** `orderItems`: objects and fields. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** `OrderItems`: classes. */
  get pascal(): string {
    return toUpperCamelCase(this.snake)
  }

  /** `order-items`: files. */
  get kebab(): string {
    return this.snake.replaceAll('_', '-')
  }

  /** `admin/order-items`: the file of a model. */
  get file(): string {
    return this.#folder + this.kebab
  }

  /** `order items`: inside a sentence. */
  get words(): string {
    return this.snake.replaceAll('_', ' ')
  }

  /** `Order items`: labels and headings. */
  get title(): string {
    return this.words.charAt(0).toUpperCase() + this.words.slice(1)
  }

  /** `an order item`: inside a sentence. */
  get withArticle(): string {
    return `${/^(?:[aeio]|u[mnpr](?!i))/.test(this.snake) ? 'an' : 'a'} ${this.words}`
  }
}

/** `admin.members` → namespace `admin`, name `members`. */
export function parseName(text: string): { namespace: readonly Name[]; name: Name } {
  const parts = text.split(/[./]/).map((part) => new Name(part))
  return { namespace: parts.slice(0, -1), name: parts.at(-1)! }
}

/** A name inside a namespace or a parent resource. */
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

  /** `admin/order-items`: a file. */
  get file(): string {
    return [...this.namespace, this.#prefixed].map(({ kebab }) => kebab).join('/')
  }

  /** `OrderItems`: the start of the controller's class name. */
  get pascal(): string {
    return this.#prefixed.pascal
  }

  /** `/admin`, `/orders/:orderId`: what precedes the name in the paths of routes. */
  get prefix(): string {
    return this.parent === undefined
      ? this.#folder
      : `${this.parent.resources.path}/:${this.parent.param}`
  }

  /** `/admin/order_items`, `/orders/items`: the folder of the views. Without a parent, also the path of the routes. */
  get path(): string {
    return `${this.#folder}/${this.name.snake}`
  }

  get #folder(): string {
    return this.parent?.resources.path ?? this.namespace.map(({ snake }) => `/${snake}`).join('')
  }

  /** `adminOrderItems`: unique among controllers and messages. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** `admin_order_items`: the table. */
  get snake(): string {
    return [...this.namespace, this.#prefixed].map(({ snake }) => snake).join('_')
  }
}

export interface ResourceNames {
  /** The plural, for the controller. */
  readonly resources: QualifiedName
  /** The singular, for the model. */
  readonly resource: QualifiedName
}

/** A primary key of one column. */
export interface ResourceKey {
  /** The name of the field. */
  readonly field: string
  /** The TypeScript type. */
  readonly type: 'number' | 'string'
  /** Whether a path needs no encoding of the key. */
  readonly isPlain: boolean
  /** A regular expression of the key in a path. */
  readonly pattern: string
  /** Path segments that match no row. */
  readonly unknown: readonly string[]
}

/** The key of generated tables. */
export const plainKey: ResourceKey = {
  field: 'id',
  type: 'number',
  isPlain: true,
  pattern: '\\d+',
  unknown: ['999999', 'x'],
}

type KeyType = Omit<ResourceKey, 'field'>

/** Keys that a resource can have, by the name of their type in `ParamType`. */
export const keyTypes: ReadonlyMap<string, KeyType> = new Map<string, KeyType>([
  ['Short', plainKey],
  ['Int', plainKey],
  ['Long', plainKey],
  ['String', { type: 'string', isPlain: false, pattern: '[^/]+', unknown: ['999999'] }],
  ['Uuid', { type: 'string', isPlain: true, pattern: '[\\da-f-]{36}', unknown: ['x'] }],
])

/** The resource that contains another one. */
export interface ParentNames extends ResourceNames {
  /** `orderId`: the path parameter, and the field of the nested resource. */
  readonly param: string
  readonly key: ResourceKey
  /** The field that serves as the text of a link; `undefined` for none. */
  readonly title: string | undefined
  readonly hasPages: boolean
}

/** `member`, `adminMember`, `companyMember`: the key of the resource's messages. */
export const messageKey = ({ resources, resource }: ResourceNames): string =>
  new QualifiedName(resources.namespace, resource.name, resources.parent).camel

/** `members`, `admin_members`: the table of the model. */
export const tableName = ({ resources, resource }: ResourceNames): string =>
  new QualifiedName(resource.namespace, resources.name).snake

/**
 * Parses `members member`, `admin.members member` or `admin members member`.
 * @throws FwError `generate.arguments-invalid`, `generate.name-invalid`
 */
export function parseResourceNames(
  words: readonly string[],
  usage: string,
  parent?: ParentNames,
): ResourceNames {
  const [first, second, third] = words
  if (first === undefined || second === undefined || words.length > 3)
    throw new FwError('generate.arguments-invalid', usage)
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
