it('lists and shows only records of the {{parentWords}} in the path', async () => {
  const id = await create{{Model}}({{otherOwner}})
  const list = await visitor.get(path)
  assert.equal(list.all('tbody tr').length, 0)
  {{linkCheck}}
  for (const rest of [`/${id}`, `/${id}/edit`, `/${id}.json`])
    assert.equal((await visitor.get(`${path}${rest}`)).status, 404)
})

it('belongs to the {{parentWords}} in the path, even if the form contains another one', async () => {
  const form = { ...{{spreadForm}}, {{param}}: await create{{Parent}}({{parentOwner}}) }
  const saved = await visitor.post(path, { form })
  assert.equal(saved.status, 302)
  assert.equal((await visitor.post(saved.location ?? '', { form })).status, 302)
  assert.equal((await visitor.get(`${path}.json`)).json()[0].{{paramMember}}, {{param}})
})

it('has no pages below an unknown {{parentWords}}', async () => {
  for (const rest of ['', '/new', '.json'])
    assert.equal((await visitor.get(`{{missingPath}}${rest}`)).status, 404)
})
