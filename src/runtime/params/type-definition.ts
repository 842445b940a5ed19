/** The definition of a value type: everything that forms, JSON, models, OpenAPI and generators read about its values. */
import type { JsonSchema } from './json-schema.ts'
import type { NumberKind } from './written-number.ts'

/** How the values of a type are stored in columns. */
export interface SqlFacet<T> {
  /** The type of the column in a migration, such as `timestamptz`. */
  readonly type: string
  /** PostgreSQL's names of the types whose existing columns get this type, such as `int4`; by default `type`. */
  readonly names?: readonly string[]
  /**
   * The object ids of database types and of their array types. The driver decodes them in every statement. Without ids,
   * statements return texts, which models decode.
   */
  readonly oids?: readonly (readonly [type: number, array: number])[]
  /** Converts PostgreSQL's text. By default, the driver's value remains unchanged. */
  decode?(this: void, text: string): T
  /** Converts the driver's value of another database type, such as `timestamp` for `DateTime`. */
  convert?(this: void, value: unknown): unknown
  /**
   * Converts PostgreSQL's text to the value's JSON text. With this function, rows decode a value only when it is read. Returns
   * `undefined` for unusual texts, which are then decoded.
   */
  toJson?(this: void, text: string): string | undefined
  /** Converts a value to the parameter of a statement. By default, the value remains unchanged. */
  encode?(this: void, value: T): unknown
  /** Whether models select the column as text, because the driver's value of the column's type loses information. */
  readonly selectsText?: boolean
  /** False if the database's order of the values does not serve lists; default true. */
  readonly isSortable?: boolean
  /** Whether the column contains text, which lists can search and whose length a rule limits. */
  readonly isText?: boolean
  /** Whether values are integers, whose sum must be a safe integer. */
  readonly isInteger?: boolean
}

/** How the generators use a type. A type without this facet is not a field type of `fw g`. */
export interface FieldFacet {
  /** The form's input; default `text`. */
  readonly input?: 'text' | 'email' | 'textarea' | 'date' | 'time' | 'datetime' | 'checkbox' | 'url'
  readonly inputmode?: 'numeric' | 'decimal'
  /** The method of `Params` that joins the inputs of a form. */
  readonly paramsMethod?: 'withDate' | 'withTime' | 'withDateTime'
  /** The validation rules as code; `fwjs` exports each rule. */
  readonly rules?: readonly string[]
  /** Valid texts, the simplest first. */
  readonly samples: readonly string[]
  /** A text that the rules or the type reject; absent if all texts are valid. */
  readonly invalidSample?: string
  /** Formats a text's value as a TypeScript expression. By default, the expression is the quoted text. */
  code?(this: void, text: string, quoted: string): string
  /** Whether a number or a boolean is the value, so that its text is its expression. */
  readonly isLiteral?: boolean
  /** An expression whose value differs for each number `count` from 10 to 9999; absent for a type with too few values. */
  readonly uniqueCode?: string
  /** How pages display a value; default `text`. */
  readonly display?: 'text' | 'number' | 'date' | 'instant' | 'boolean' | 'email' | 'json' | 'size'
}

/** A value type. Its functions may throw if a text or a value does not convert. */
export interface TypeDefinition<T> {
  /** The name of the type, such as `LocalDate`. */
  readonly name: string
  /** The words after "must be" in an error message; default `a valid <name>`. */
  readonly expected?: string
  /** Converts a text of a form, a path or a query; `undefined` if the text does not convert. */
  parse(this: void, text: string): T | undefined
  /** Returns the text of a value for form inputs, links and cursors, from which `read` returns the value; default `String`. */
  format?(this: void, value: T): string
  /** The kind of a number, which forms and queries of pages also accept as people write it in the language of the page. */
  readonly number?: NumberKind
  /**
   * Returns the text of a value for form inputs that cannot hold the text of `format`, such as a time without microseconds. An
   * input that still has this text does not change the value.
   */
  formText?(this: void, value: T): string
  /** Parses a text that `format` returned; by default `parse`, which also accepts texts that people write. */
  read?(this: void, text: string): T | undefined
  /**
   * Converts a value of a JSON body; `undefined` if it does not convert. By default, the text of a number, a boolean or a string
   * is parsed.
   */
  fromJson?(this: void, value: unknown): T | undefined
  /** The type in JSON and XML, if it differs from the type in forms. */
  readonly inPrograms?: TypeDefinition<T>
  /** Whether values are instants: a text of a page that has no time zone is in the zone of the page. */
  readonly isInstant?: boolean
  /** The validation rule whose message explains a text that does not convert; default `invalid`. */
  readonly rule?: string
  /** The JSON Schema of a value; by default, a text in requests and any value in responses. */
  readonly jsonSchema?: JsonSchema
  /** The JSON Schema of a value in responses, if it differs. */
  readonly responseSchema?: JsonSchema
  /** The name of the class of the values, such as `PlainDate`. TypeScript types with this name get the type's JSON Schema. */
  readonly className?: string
  /** Whether values are JSON of any shape, also `null`, whose keys are data. */
  readonly isJson?: boolean
  readonly sql?: SqlFacet<T>
  readonly field?: FieldFacet
}
