import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

test.each<[sql: string, statements: string[]]>([
  ['', []],
  [' ;; \n;', []],
  ['select 1', ['select 1']],
  ['select 1; select 2;\n', ['select 1', 'select 2']],
  [`select ';', 'it''s;' ; select 2`, [`select ';', 'it''s;'`, 'select 2']],
  [`select e'\\';', E'\\\\' ; select 2`, [`select e'\\';', E'\\\\'`, 'select 2']],
  [`select '\\'; select 2`, [`select '\\'`, 'select 2']],
  ['select 1 as "a;""b"; select 2', ['select 1 as "a;""b"', 'select 2']],
  ['-- a; b\nselect 1; -- c;\n/* d; */', ['-- a; b\nselect 1']],
  ['/* a /* ; */ ; */ select 1; /* open ;', ['/* a /* ; */ ; */ select 1']],
  ['do $$ begin; end $$; do $x$ $$;$$ $x$', ['do $$ begin; end $$', 'do $x$ $$;$$ $x$']],
  ['select a$b$c; select $1; select a$b$', ['select a$b$c', 'select $1', 'select a$b$']],
  ['do $ä$ ; $ä$; select 1', ['do $ä$ ; $ä$', 'select 1']],
  ['do $$ open ; ', ['do $$ open ;']],
  [`select 'open ; x`, [`select 'open`, 'x']],
  [
    'create table "größe;" (ü int); select 1 - -1',
    ['create table "größe;" (ü int)', 'select 1 - -1'],
  ],
])('%j has the statements %j', (sql, statements) => {
  expect(splitStatements(sql)).toEqual(statements)
})

test('property: statements that are joined by semicolons are found again', () => {
  const part = fc.constantFrom(
    `select ';'`,
    'select $a$;$$;$a$',
    'select "x;y"',
    `select E'\\';'`,
    'select 1 /* ; /* ; */ */',
    'select 2 -- ;\n + 1',
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      expect(splitStatements(parts.join(';'))).toEqual(parts)
    }),
  )
})
