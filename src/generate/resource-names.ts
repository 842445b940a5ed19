/** The names of a resource, in every spelling that its files need. */
import { FwError } from '../base.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../params.ts'
import { isTaken } from './taken-names.ts'

/** A name of several words. */
export class Name {
  /** `order_items`: paths, tables, columns, folders of views. */
  readonly snake: string

  /** @throws FwError `generate.name-invalid` */
  constructor(given: string) {
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

/** A name below a namespace: where its file is, and what it is called where all are together. */
export class PlacedName {
  readonly namespace: readonly Name[]
  readonly name: Name

  constructor(namespace: readonly Name[], name: Name) {
    this.namespace = namespace
    this.name = name
    if (isTaken(this.camel) || isTaken(name.upper))
      throw nameInvalid(name.snake, 'TypeScript or fwjs has that word for itself')
  }

  /** `admin/order-items`: a file. */
  get file(): string {
    return [...this.namespace, this.name].map(({ kebab }) => kebab).join('/')
  }

  /** `/admin`: before a path; empty without a namespace. */
  get prefix(): string {
    return this.namespace.map(({ snake }) => `/${snake}`).join('')
  }

  /** `/admin/order_items`: a path, and the folder of its views. */
  get path(): string {
    return `${this.prefix}/${this.name.snake}`
  }

  /** `adminOrderItems`: among all controllers or messages. */
  get camel(): string {
    return toCamelCase(this.snake)
  }

  /** `admin_order_items`: the table. */
  get snake(): string {
    return [...this.namespace, this.name].map(({ snake }) => snake).join('_')
  }
}

/** Plural and singular of a resource. */
export interface ResourceNames {
  readonly resources: PlacedName
  readonly resource: PlacedName
}

/** `members member`, `admin.members member`, or `admin members member`. @throws FwError `generate.arguments-invalid`, `generate.name-invalid` */
export function readResourceNames(words: readonly string[], usage: string): ResourceNames {
  const [first, second, third] = words
  if (first === undefined || second === undefined || words.length > 3)
    throw new FwError('generate.arguments-invalid', usage)
  const plural = third === undefined ? first : `${first}.${second}`
  const { namespace, name } = splitName(plural)
  const singular = splitName(third ?? second).name
  if (singular.snake === name.snake)
    throw nameInvalid(singular.snake, 'plural and singular must differ, such as sheep_list sheep')
  return {
    resources: new PlacedName(namespace, name),
    resource: new PlacedName(namespace, singular),
  }
}
