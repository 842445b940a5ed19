it('searches the list', async () => {
  {{setup}}
  const id = await create{{Model}}({{owner}})
  const record = (await visitor.get(`{{pathText}}/${id}.json`)).json()
  for (const field of [{{listed}}]) {
    const q = record[field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
    const list = await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { q } })
    assert.equal(list.json().length, 1)
  }
  assert.deepEqual((await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { q: '%_%' } })).json(), [])
})
