/** The table `events` of a generated scaffold, partitioned by month, and the statements that fill it. */

/** The months of the partitions, from January 2023 on. */
const months = 48

const partitionOf = (month: number): string => `events_${String(month).padStart(2, '0')}`

const firstDay = (month: number): string => `date '2023-01-01' + interval '${month} months'`

/** The migration of the scaffold for a partitioned table: each unique key contains the column of the partitions. */
export const tableSql: readonly string[] = [
  'create sequence events_id_seq',
  `create table events (
    id bigint not null default nextval('events_id_seq'),
    title varchar(512) not null,
    kind varchar(8) not null check (kind in ('sale', 'refund', 'transfer')),
    archived boolean not null,
    happened_on date not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  ) partition by range (happened_on)`,
]

const syllables = 'ba de fi go hu ka le mi no pu ra se ti vo wu xa ze bi do gu'.split(' ')
/** SQL that chooses one of 20 syllables by the bits of a hash. */
const syllable = (shift: number): string =>
  `('{${syllables.join()}}'::text[])[1 + ((h >> ${shift}) & 1023) % ${syllables.length}]`

/** A title such as `Order 1234567 of bafigo`: 8,000 names. One row of a thousand is a refund, one of ten is archived. */
function fillPartition(month: number, rows: number): string {
  const first = month * rows
  return `insert into ${partitionOf(month)} (id, title, kind, archived, happened_on)
    select n, 'Order ' || h || ' of ' || ${syllable(0)} || ${syllable(10)} || ${syllable(20)},
      case when n % 1000 = 7 then 'refund' when n % 2 = 0 then 'sale' else 'transfer' end, n % 10 = 3,
      ${firstDay(month)} + (n % 28)::int * interval '1 day'
    from (select n, hashint8(n) & 2147483647 as h from generate_series(${first + 1}, ${first + rows}) n) numbers`
}

/** Creates a partition with its rows and the indexes that the migration of the scaffold has. */
export function partitionSql(month: number, rows: number): readonly string[] {
  const name = partitionOf(month)
  return [
    // Not in the write-ahead log, so that a run needs half of the disk.
    `create unlogged table ${name} (like events including defaults including constraints)`,
    fillPartition(month, rows),
    `alter table ${name} add primary key (id, happened_on)`,
    `create index on ${name} (title, id)`,
    `alter table events attach partition ${name} for values from (${firstDay(month)}) to (${firstDay(month + 1)})`,
  ]
}

/** All statements for a table of about `rows` rows. */
export function tableOf(rows: number): readonly string[] {
  const each = Math.ceil(rows / months)
  const partitions = Array.from({ length: months }, (_, month) => partitionSql(month, each))
  return [
    ...tableSql,
    ...partitions.flat(),
    `select setval('events_id_seq', ${each * months})`,
    // These indexes take over those of the partitions.
    'alter table events add primary key (id, happened_on)',
    'create index on events (title, id)',
    'vacuum analyze events',
  ]
}

/** The indexes for filters and the search, by the name in the report. Each is one statement for each partition. */
export const furtherIndexes: Readonly<Record<string, readonly string[]>> = {
  kind: ['create index on events (kind, id)'],
  search: [
    'create extension if not exists pg_trgm',
    'create index on events using gin (title gin_trgm_ops)',
  ],
}
