/** The names of a resource, in every spelling that its files need. */
import { FwError } from '../base.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../params.ts'
import type { ResourceKey } from './resource-key.ts'
import { isTaken } from './taken-names.ts'

/** A name of several words. */
export class Name {
  /** `order_items`: paths, tables, columns, folders of views. */
  readonly snake: string
  /** `admin/`: the folder of a model's file. */
  readonly #folder: string

  /** @throws FwError `generate.name-invalid` */
  constructor(given: string, folder = '') {
    this.#folder = folder
    this.snake = toSnakeCase(given.replaceAll('-', '_'))
    if (/^[a-z][a-z\d]*(_[a-z\d]+)*$/.test(this.snake) && this.snake.length <= 63) return
    throw nameInvalid(given, 'use letters, digits and _, a letter first, 63 characters at most')
  }

  /** `orderItems`: objects and fields. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** `OrderItems`: classes. */
  get upper(): string {
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

  /** `Order items`: texts. */
  get title(): string {
    const words = this.snake.replaceAll('_', ' ')
    return words.charAt(0).toUpperCase() + words.slice(1)
  }

  /** `an order item`: texts amid a sentence. */
  get one(): string {
    return `${/^(?:[aeio]|u[mnpr](?!i))/.test(this.snake) ? 'an' : 'a'} ${this.words}`
  }

  /** `order items`: texts amid a sentence. */
  get words(): string {
    return this.snake.replaceAll('_', ' ')
  }
}

export function nameInvalid(name: string, why: string): FwError {
  return new FwError('generate.name-invalid', `The name '${name}' cannot stand: ${why}.`)
}

/** `admin.members` to its namespace and the name itself. */
export function splitName(given: string): { namespace: readonly Name[]; name: Name } {
  const parts = given.split(/[./]/).map((part) => new Name(part))
  return { namespace: parts.slice(0, -1), name: parts.at(-1)! }
}

/** A name below a namespace or another resource: where its file is, and what it is called where all are together. */
export class PlacedName {
  readonly namespace: readonly Name[]
  readonly name: Name
  /** The resource that this one is inside of. */
  readonly parent: ParentNames | undefined
  /** `order_items`, and so are items called inside orders. */
  readonly #own: Name

  constructor(namespace: readonly Name[], name: Name, parent?: ParentNames) {
    this.namespace = namespace
    this.name = name
    this.parent = parent
    this.#own =
      parent === undefined ? name : new Name(`${parent.resource.name.snake}_${name.snake}`)
    if (isTaken(this.camel) || isTaken(name.upper))
      throw nameInvalid(name.snake, 'TypeScript or fwjs has that word for itself')
  }

  /** `admin/order-items`: a file. */
  get file(): string {
    return [...this.namespace, this.#own].map(({ kebab }) => kebab).join('/')
  }

  /** `OrderItems`: before `Controller`. */
  get upper(): string {
    return this.#own.upper
  }

  /** `/admin`, `/orders/:orderId`: before the path of routes; empty for what is neither in a namespace nor inside. */
  get prefix(): string {
    return this.parent === undefined
      ? this.#folder
      : `${this.parent.resources.path}/:${this.parent.param}`
  }

  /** `/admin/order_items`, `/orders/items`: the folder of its views, and the path of what is not inside. */
  get path(): string {
    return `${this.#folder}/${this.name.snake}`
  }

  get #folder(): string {
    return this.parent?.resources.path ?? this.namespace.map(({ snake }) => `/${snake}`).join('')
  }

  /** `adminOrderItems`: among all controllers or messages. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** `admin_order_items`: the table, inside nothing. */
  get snake(): string {
    return [...this.namespace, this.#own].map(({ snake }) => snake).join('_')
  }
}

/** Plural and singular of a resource. */
export interface ResourceNames {
  /** Of the controller. */
  readonly resources: PlacedName
  /** Of the model. */
  readonly resource: PlacedName
}

/** The resource that another one is inside of. */
export interface ParentNames extends ResourceNames {
  /** `orderId`: its parameter of the path, and the field that holds it. */
  readonly param: string
  readonly key: ResourceKey
  /** A text of its model by which a person knows one. */
  readonly title: string | undefined
  /** It has pages, to which those below it lead back. */
  readonly hasPages: boolean
}

/** `member`, `adminMember`, `companyMember`: the resource among all messages. */
export const textsOf = ({ resources, resource }: ResourceNames): string =>
  new PlacedName(resources.namespace, resource.name, resources.parent).camel

/** `members`, `admin_members`: the table of its model. */
export const tableOf = ({ resources, resource }: ResourceNames): string =>
  new PlacedName(resource.namespace, resources.name).snake

/** `members member`, `admin.members member`, or `admin members member`; inside `parent`, `members member`. @throws FwError `generate.arguments-invalid`, `generate.name-invalid` */
export function readResourceNames(
  words: readonly string[],
  usage: string,
  parent?: ParentNames,
): ResourceNames {
  const [first, second, third] = words
  if (first === undefined || second === undefined || words.length > 3)
    throw new FwError('generate.arguments-invalid', usage)
  const plural = third === undefined ? first : `${first}.${second}`
  const { namespace, name } = splitName(plural)
  const singular = splitName(third ?? second).name
  if (singular.snake === name.snake)
    throw nameInvalid(singular.snake, 'plural and singular must differ, such as sheep_list sheep')
  if (parent === undefined)
    return {
      resources: new PlacedName(namespace, name),
      resource: new PlacedName(namespace, singular),
    }
  if (namespace.length > 0)
    throw nameInvalid(
      plural,
      `inside ${parent.resources.name.snake} it is called ${name.snake} alone`,
    )
  const { resource, resources } = parent
  if (singular.snake === resource.name.snake)
    throw nameInvalid(singular.snake, 'a resource is not inside itself')
  return {
    resources: new PlacedName(resources.namespace, name, parent),
    resource: new PlacedName(resource.namespace, singular),
  }
}
