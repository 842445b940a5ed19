/** A store of @fastify/session in PostgreSQL, with prepared statements. The table is that of connect-pg-simple. */
const dayInMillis = 24 * 60 * 60 * 1000

export class PgSessionStore {
  #pool

  constructor(pool) {
    this.#pool = pool
  }

  get(sid, done) {
    const text = 'select sess from session where sid = $1 and expire >= now()'
    this.#query('session-get', text, [sid], done, (rows) => rows[0]?.sess ?? null)
  }

  set(sid, session, done) {
    const text =
      'insert into session (sid, sess, expire) values ($1, $2, $3) ' +
      'on conflict (sid) do update set sess = excluded.sess, expire = excluded.expire'
    const expires = session.cookie.expires ?? new Date(Date.now() + dayInMillis)
    this.#query('session-set', text, [sid, session, expires], done)
  }

  destroy(sid, done) {
    this.#query('session-destroy', 'delete from session where sid = $1', [sid], done)
  }

  #query(name, text, values, done, read = () => undefined) {
    this.#pool.query({ name, text, values }, (error, result) =>
      error ? done(error) : done(null, read(result.rows)),
    )
  }
}
