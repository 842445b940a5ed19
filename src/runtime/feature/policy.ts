/** `policy`: rules that decide who may do what. An action without a rule is refused. */

/**
 * What a rule returns: `true` allows the action; `false` and 403 refuse it with the status 403; 404 refuses it as if the record did
 * not exist.
 */
type Decision = boolean | 403 | 404

/** The rules of a policy by action. A rule gets the user, and the record if the action has one. */
type Rules = Readonly<Record<string, (user: never, record: never) => Decision>>

type UserOf<Rule> = Rule extends (user: infer User, ...rest: never) => unknown ? User : never
type RecordOf<Rule> = Rule extends (user: never, ...record: infer Record) => unknown
  ? Record
  : never

/** The rules of one kind of record, created by `policy`. */
export class Policy<R extends Rules> {
  readonly #rules: R

  constructor(rules: R) {
    this.#rules = rules
  }

  /** Whether the user may do the action with the record. An action without a rule is refused. */
  can<const A extends keyof R & string>(
    user: UserOf<R[A]>,
    action: A,
    ...record: RecordOf<R[A]>
  ): boolean {
    return this.decide(user, action, ...record) === true
  }

  /** Returns `true`, or the status of the refusal. */
  decide<const A extends keyof R & string>(
    user: UserOf<R[A]>,
    action: A,
    ...record: RecordOf<R[A]>
  ): true | 403 | 404 {
    const rule = Object.hasOwn(this.#rules, action) ? this.#rules[action] : undefined
    const decision = rule?.(user as never, ...(record as unknown as [never]))
    return decision === true || decision === 404 ? decision : 403
  }
}

/**
 * Defines a policy by plain functions: `policy({ update: (user: User | undefined, article: Article) => article.userId === user?.id
 * })`. Its method `can` has the types of the rules. Functions must not wait: load what they need before.
 */
export const policy = <const R extends Rules>(rules: R): Policy<R> => new Policy(rules)
