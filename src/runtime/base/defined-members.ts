/** Removes the members of an object that are undefined. */

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Returns a copy without the members that are undefined. */
export const definedMembers = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>
