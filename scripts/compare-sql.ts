/**
 * Compares how Fw and PostgreSQL's parser split random SQL: `node --conditions=fwjs-source scripts/compare-sql.ts --seed 1
 * --texts 100000`.
 */
import { parseArgs } from 'node:util'
import { compareSql } from '../test/fuzz/random-sql.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    texts: { type: 'string', default: '100000' },
  },
})
const begun = performance.now()
const { differences, ...counts } = await compareSql(Number(values.seed), Number(values.texts))
const seconds = Math.round((performance.now() - begun) / 1000)
console.log({ seed: values.seed, ...counts, differences: differences.length, seconds })
for (const difference of differences.slice(0, 20)) console.log(JSON.stringify(difference))
if (differences.length > 0) process.exitCode = 1
