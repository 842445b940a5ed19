/** The types of the keys and arguments of an application's messages. */
import type { Temporal } from '../base.ts'

/**
 * The message keys with the list of each message's arguments. The generated `.fw/messages.ts` declares the members of
 * this interface. Without members, `I18n.get` accepts any key.
 */
export interface MessageKeys {}

/** The argument of a plain placeholder. `String` converts it to text; `undefined` becomes an empty text. */
export type MessageValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | { toString(): string }
  | undefined

/** The argument of a number placeholder or a plural. */
export type MessageNumber = number | bigint

/** The argument of a date or time placeholder. A number is the milliseconds since 1970. */
export type MessageDate =
  | Date
  | number
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDate
  | Temporal.PlainTime
  | Temporal.PlainDateTime

/** A key of the application's messages. Any string is accepted while `MessageKeys` declares no keys. */
export type MessageKey = keyof MessageKeys extends never ? string : keyof MessageKeys & string

/** The arguments of the message with the key `K`. */
export type MessageArguments<K> = K extends keyof MessageKeys
  ? MessageKeys[K] extends readonly unknown[]
    ? MessageKeys[K]
    : never
  : readonly unknown[]

/** The text of a message. It is `undefined` for an unknown key, which is possible only while `MessageKeys` declares no keys. */
export type MessageText = keyof MessageKeys extends never ? string | undefined : string
