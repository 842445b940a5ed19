it('sorts the list', async () => {
  for (let count = 0; count < 3; count++) await create{{Model}}({{owner}})
  for (const sort of [{{listed}}]) {
    const list = await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { sort } })
    const reverse = await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { sort: `-${sort}` } })
    assert.equal(list.json().length, 3)
    assert.deepEqual(list.json(), reverse.json().reverse())
  }
  assert.equal((await visitor.get({{q}}{{pathText}}.json{{q}}, { query: { sort: 'x' } })).status, 400)
})
