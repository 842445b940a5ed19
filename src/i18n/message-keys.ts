/** The keys and arguments of an application's messages as types. */
import type { Temporal } from '../base.ts'

/** Filled by the generated `.fw/messages.ts` of an application: key to list of arguments. Empty: any key is taken. */
export interface MessageKeys {}

/** What a plain placeholder takes; it is printed as `String` prints it, nothing for `undefined`. */
export type MessageValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | { toString(): string }
  | undefined

/** What a placeholder of a number or plural takes. */
export type MessageNumber = number | bigint

/** What a placeholder of a date or time takes; a number is milliseconds since 1970. */
export type MessageDate =
  | Date
  | number
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDate
  | Temporal.PlainTime
  | Temporal.PlainDateTime

/** A key of the application's messages, or any text as long as none are known. */
export type MessageKey = keyof MessageKeys extends never ? string : keyof MessageKeys & string

/** The arguments of a message. */
export type MessageArguments<K> = K extends keyof MessageKeys
  ? MessageKeys[K] extends readonly unknown[]
    ? MessageKeys[K]
    : never
  : readonly unknown[]

/** A known key has a text; any other may have none. */
export type MessageText = keyof MessageKeys extends never ? string | undefined : string
