/** The table of settings in docs/configuration.md, as the schema has it. */
import { applicationSettings } from '../../src/app/settings.ts'
import { settingRows, type SettingRow } from '../../src/config.ts'

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

/** A number in the greatest unit that divides it. */
function amount(value: number, scale: readonly (readonly [string, number])[]): string {
  const unit = scale.find(([, size]) => value > 0 && value % size === 0)
  return unit === undefined ? String(value) : `${value / unit[1]}${unit[0]}`
}

function shownDefault({ kind, default: value }: SettingRow): string {
  if (kind === 'texts' || value === undefined || value === '') return ''
  if (Array.isArray(value)) return value.join(', ')
  if (kind === 'duration') return amount(Number(value), times)
  return kind === 'size' ? amount(Number(value), units) : String(value)
}

/** One line for each setting: key, kind, default, what it is. */
export function settingsTable(): string {
  const rows = [...settingRows(applicationSettings)].map((row) => {
    const value = shownDefault(row)
    return `| \`${row.key}\` | ${row.kind} | ${value === '' ? '' : `\`${value}\``} | ${row.doc} |`
  })
  return ['| setting | kind | default | |', '|---|---|---|---|', ...rows, ''].join('\n')
}
