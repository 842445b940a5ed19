/** Formats the schema of the settings as the table of docs/configuration.md. */
import { applicationSettings } from '../../src/runtime/app/settings.ts'
import { settingRows, type SettingRow } from '../../src/runtime/config.ts'

const units: readonly (readonly [string, number])[] = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
]
const times: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]

/** Formats a number in the largest unit that divides it. */
function formatAmount(value: number, scale: readonly (readonly [string, number])[]): string {
  const unit = scale.find(([, size]) => value > 0 && value % size === 0)
  return unit === undefined ? String(value) : `${value / unit[1]}${unit[0]}`
}

function formatDefault({ kind, default: value }: SettingRow): string {
  if (kind === 'texts' || value === undefined || value === '') return ''
  if (Array.isArray(value)) return value.join(', ')
  if (kind === 'duration') return formatAmount(Number(value), times)
  return kind === 'size' ? formatAmount(Number(value), units) : String(value)
}

/** Returns a table with a row for each setting: key, kind, default and description. */
export function settingsTable(): string {
  const rows = [...settingRows(applicationSettings)].map((row) => {
    const value = formatDefault(row)
    return `| \`${row.key}\` | ${row.kind} | ${value === '' ? '' : `\`${value}\``} | ${row.doc} |`
  })
  return ['| setting | kind | default | |', '|---|---|---|---|', ...rows, ''].join('\n')
}
