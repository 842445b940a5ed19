/** Writes {{words}} for tests. */
{{imports}}

/** The id of a new row: samples, and the fields given in their place. */
export {{async}}function create{{Model}}(fields: Partial<{{Model}}> = {}): Promise<number> {
  const values = {
    {{samples}}
    ...fields,
  }
  {{create}}
}
