it('filters the list', async () => {
  {{setup}}
  const id = await create{{Model}}({{owner}})
  const record = (await visitor.get(`{{pathText}}/${id}.json`)).json()
  for (const field of [{{listed}}]) {
    const value = record[field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
    if (value === null) continue
    const list = await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { [field]: String(value) } })
    assert.equal(list.json().length, 1)
  }
})
