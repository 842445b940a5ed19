it('are only records of the {{parentWords}} in the path', async () => {
  const id = await create{{Model}}({{otherOwner}})
  assert.equal((await visitor.get(`${path}.json`)).json().length, 0)
  assert.equal((await visitor.get(`${path}/${id}.json`)).status, 404)
  assert.equal((await visitor.get('{{missingPath}}.json')).status, 404)
})

it('belong to the {{parentWords}} in the path, even if the body contains another one', async () => {
  const json = { ...{{spreadForm}}, {{param}}: await create{{Parent}}({{parentOwner}}) }
  const saved = await visitor.post(`${path}.json`, { json })
  assert.equal(saved.status, 201)
  assert.equal((await visitor.put(saved.location ?? '', { json })).status, 200)
  assert.equal((await visitor.get(saved.location ?? '')).json().{{paramMember}}, {{param}})
})
