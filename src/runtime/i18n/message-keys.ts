/** The keys and arguments of an application's messages as types. */
import type { Temporal } from '../base.ts'

/**
 * The generated `.fw/messages.ts` declares its members: each key with the list of its arguments. While it is empty, any
 * key is accepted.
 */
export interface MessageKeys {}

/** The argument of a plain placeholder. It is printed as `String` converts it; `undefined` prints nothing. */
export type MessageValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | { toString(): string }
  | undefined

/** The argument of a number or plural placeholder. */
export type MessageNumber = number | bigint

/** The argument of a date or time placeholder; a number is milliseconds since 1970. */
export type MessageDate =
  | Date
  | number
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDate
  | Temporal.PlainTime
  | Temporal.PlainDateTime

/** A key of the application's messages; any text while no keys are declared. */
export type MessageKey = keyof MessageKeys extends never ? string : keyof MessageKeys & string

/** The arguments of a message. */
export type MessageArguments<K> = K extends keyof MessageKeys
  ? MessageKeys[K] extends readonly unknown[]
    ? MessageKeys[K]
    : never
  : readonly unknown[]

/** With declared keys, every message has a text; otherwise a message may be missing. */
export type MessageText = keyof MessageKeys extends never ? string | undefined : string
