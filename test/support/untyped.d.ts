/** Declares types for packages that ship none. */
declare module 'parse-prometheus-text-format' {
  interface Family {
    readonly name: string
    readonly help: string
    readonly type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM'
    readonly metrics: readonly {
      readonly labels?: Readonly<Record<string, string>>
      readonly value?: string
      readonly buckets?: Readonly<Record<string, string>>
      readonly count?: string
      readonly sum?: string
    }[]
  }
  export default function parse(text: string): readonly Family[]
}
