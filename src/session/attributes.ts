/** The named values of one session, as flash and forgery token need them. */
export interface SessionAttributes {
  get(name: string): unknown
  set(name: string, value: unknown): void
  delete(name: string): void
  keys(): string[]
}
