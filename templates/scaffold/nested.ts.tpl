it('lists and shows only records of the {{parentWords}} in the path', async () => {
  {{setup}}
  const id = await create{{Model}}({{otherOwner}})
  const list = await visitor.get(path)
  assert.equal(list.all('tbody tr').length, 0)
  {{linkCheck}}
  for (const rest of [`/${id}`, `/${id}/edit`, `/${id}.json`]) {
    const page = await visitor.get(`${path}${rest}`)
    assert.equal(page.status, 404)
  }
})

it('belongs to the {{parentWords}} in the path, even if the form contains another one', async () => {
  {{setup}}
  await visitor.get(`${path}/new`)
  const changed = { ...(await form({{formArgument}})), {{param}}: await create{{Parent}}({{parentOwner}}) }
  const saved = await visitor.post(path, { form: changed })
  assert.equal(saved.status, 302)
  assert.equal((await visitor.post(saved.location ?? '', { form: changed })).status, 302)
  assert.equal((await visitor.get(`${path}.json`)).json()[0].{{paramMember}}, {{param}})
})

it('has no pages below an unknown {{parentWords}}', async () => {
  {{logInHere}}
  for (const rest of ['', '/new', '.json']) {
    const page = await visitor.get(`{{missingPath}}${rest}`)
    assert.equal(page.status, 404)
  }
})
