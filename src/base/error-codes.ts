/** The closed list of error codes; each is explained in docs/errors.md. */

/** One line a code, sorted; the part before the dot is the room that throws it. */
export type ErrorCode =
  | 'base.internal'
