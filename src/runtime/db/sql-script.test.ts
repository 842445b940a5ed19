import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseScript } from './sql-script.ts'

const statementsOf = (sql: string): string[] =>
  parseScript(sql).statements.map(({ start, end }) => sql.slice(start, end))

test.each<[sql: string, statements: string[]]>([
  ['', []],
  [' ;; \n;', []],
  ['select 1', ['select 1']],
  ['select 1; select 2;\n', ['select 1', 'select 2']],
  [`select ';', 'it''s;' ; select 2`, [`select ';', 'it''s;'`, 'select 2']],
  [`select e'\\';', E'\\\\' ; select 2`, [`select e'\\';', E'\\\\'`, 'select 2']],
  [`select '\\'; select 2`, [`select '\\'`, 'select 2']],
  ['select 1 as "a;""b"; select 2', ['select 1 as "a;""b"', 'select 2']],
  ['-- a; b\nselect 1; -- c;\n/* d; */', ['select 1']],
  ['/* a /* ; */ ; */ select 1; /* open ;', ['select 1']],
  ['do $$ begin; end $$; do $x$ $$;$$ $x$', ['do $$ begin; end $$', 'do $x$ $$;$$ $x$']],
  ['select a$b$c; select $1; select a$b$', ['select a$b$c', 'select $1', 'select a$b$']],
  ['do $ä$ ; $ä$; select 1', ['do $ä$ ; $ä$', 'select 1']],
  ['do $$ open ; ', ['do $$ open ; ']],
  ['copy s.from from stdin;\n;\n\\.\nselect 2', ['copy s.from from stdin', 'select 2']],
  [`select 'open ; x`, [`select 'open ; x`]],
  [
    'create table "größe;" (ü int); select 1 - -1',
    ['create table "größe;" (ü int)', 'select 1 - -1'],
  ],
  // These are the parts of PostgreSQL's grammar that a list of quotes does not cover.
  [`select e'x'\n'\\';y'; select 2`, [`select e'x'\n'\\';y'`, 'select 2']],
  [
    `select e'x' -- c\n -- d\n '\\';y'; select 2`,
    [`select e'x' -- c\n -- d\n '\\';y'`, 'select 2'],
  ],
  [`select e'x' '\\'; select 2`, [`select e'x' '\\'`, 'select 2']],
  ['select 1 -- a\r; select 2', ['select 1', 'select 2']],
  ['select $1$$;$$; select 1$$;$$', ['select $1$$;$$', 'select 1$$;$$']],
  ['select \u00a0$$;$$', ['select \u00a0$$', '$$']],
  ['select 😀; do $😀$;$😀$', ['select 😀', 'do $😀$;$😀$']],
  [
    'create function f() returns int begin atomic select 1; select case 1 when 1 then 2 end; end; select 2',
    [
      'create function f() returns int begin atomic select 1; select case 1 when 1 then 2 end; end',
      'select 2',
    ],
  ],
  [
    'create or replace procedure p() begin /* ; */ atomic end; select begin atomic; end; select 1',
    [
      'create or replace procedure p() begin /* ; */ atomic end',
      'select begin atomic',
      'end',
      'select 1',
    ],
  ],
  [
    'create rule r as on insert to t do (select 1; select (2);); select 3',
    ['create rule r as on insert to t do (select 1; select (2);)', 'select 3'],
  ],
])('%j has the statements %j', (sql, statements) => {
  expect(statementsOf(sql)).toEqual(statements)
})

test('rows of COPY end at a line with a backslash and a dot, and are no statements', () => {
  const sql = 'copy "a" (b) from stdin;\n1;\t\\.\n\\\\.\n\u2028\\.\n--\n\\.\nselect 2'
  const { statements, commands } = parseScript(sql)
  expect(statementsOf(sql)).toEqual(['copy "a" (b) from stdin', 'select 2'])
  expect(commands).toEqual([])
  const { start, end, isEnded } = statements[0]!.data!
  expect(sql.slice(start, end)).toBe('1;\t\\.\n\\\\.\n\u2028\\.\n--\n')
  expect(isEnded).toBe(true)
  expect(parseScript('copy a from stdin;\n1').statements[0]!.data!.isEnded).toBe(false)
  expect(parseScript('copy a to stdout; copy a from f').statements).toHaveLength(2)
})

test('property: statements that are joined by semicolons are found again', () => {
  const part = fc.constantFrom(
    `select ';'`,
    'select $a$;$$;$a$',
    'select "x;y"',
    `select E'\\';'`,
    'select 1 /* ; /* ; */ */ + 2',
    'select 2 -- ;\n + 1',
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(statementsOf(parts.join(';'))).toEqual(parts)
    }),
  )
})
