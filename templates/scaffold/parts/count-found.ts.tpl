/** Counts the records of the list with this query. */
const countFound = async (query: Record<string, string>): Promise<number> =>
  (await visitor.get({{q}}{{pathText}}.json{{q}}, { query })).json().length
