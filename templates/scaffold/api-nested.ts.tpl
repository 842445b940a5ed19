it('are only records of the {{parentWords}} in the path', async () => {
  {{setup}}
  const id = await create{{Model}}({ {{param}}: await create{{Parent}}() })
  assert.equal((await app.get(`${path}.json`)).json().length, 0)
  assert.equal((await app.get(`${path}/${id}.json`)).status, 404)
  assert.equal((await app.get('{{missingPath}}.json')).status, 404)
})

it('belong to the {{parentWords}} in the path, even if the body contains another one', async () => {
  {{setup}}
  const json = { ...(await form()), {{param}}: await create{{Parent}}() }
  const saved = await app.post(`${path}.json`, { json })
  assert.equal(saved.status, 201)
  assert.equal((await app.put(saved.location ?? '', { json })).status, 200)
  assert.equal((await app.get(saved.location ?? '')).json().{{paramMember}}, {{param}})
})
