/** What the peers without a model layer share: the pool, the statements and the date format of the pages. */
import pg from 'pg'

export const poolSize = 10
export const pageSize = 20

// A date without time has no zone: its text is what JSON and `<time datetime>` need.
pg.types.setTypeParser(pg.types.builtins.DATE, String)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

/** `2026-11-22` as `Nov 22, 2026`. */
export const formatDate = (text) => dates.format(Date.parse(text))

/** A day of the calendar, as `<input type="date">` sends it. */
export function isDate(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

export const parsePage = (text) => Math.max(1, Math.trunc(Number(text)) || 1)

/** An id, or undefined for a text that cannot be one. */
export const parseId = (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)

/** Prepared statements, which each connection parses once. */
export class Members {
  #pool

  constructor(pool) {
    this.#pool = pool
  }

  async page(page, search = '') {
    const offset = (page - 1) * pageSize
    const [rows, counted] = await Promise.all(
      search === ''
        ? [
            this.#query('page', 'select * from members order by id limit 20 offset $1', [offset]),
            this.#query('count', 'select count(*) as total from members', []),
          ]
        : [
            this.#query(
              'search-page',
              `select * from members where name ilike '%' || $2 || '%' order by id limit 20 offset $1`,
              [offset, search],
            ),
            this.#query(
              'search-count',
              `select count(*) as total from members where name ilike '%' || $1 || '%'`,
              [search],
            ),
          ],
    )
    return { items: rows, total: counted[0].total }
  }

  async find(id) {
    return (await this.#query('find', 'select * from members where id = $1', [id]))[0]
  }

  async create({ name, birthday }) {
    const sql = 'insert into members (name, birthday) values ($1, $2) returning id'
    return (await this.#query('create', sql, [name, birthday]))[0].id
  }

  async #query(name, text, values) {
    return (await this.#pool.query({ name, text, values })).rows
  }
}

export function openPool() {
  return new pg.Pool({ connectionString: process.env.DATABASE_URL, max: poolSize })
}

/** Values of the list's template. */
export const listValues = ({ items, total }, page, search) => ({
  title: 'Members',
  items,
  total,
  search,
  previous: page > 1 ? page - 1 : undefined,
  next: page * pageSize < total ? page + 1 : undefined,
})
