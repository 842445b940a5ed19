it('lists and shows those of its {{parentWords}} alone', async () => {
  {{begin}}
  const id = await create{{Model}}({ {{param}}: await create{{Parent}}() })
  const list = await app.get(path)
  assert.equal(list.all('tbody tr').length, 0)
  {{backCheck}}
  for (const rest of [`/${id}`, `/${id}/edit`, `/${id}.json`]) {
    const page = await app.get(`${path}${rest}`)
    assert.equal(page.status, 404)
  }
})

it('belongs to the {{parentWords}} of the path, whatever a form says', async () => {
  {{begin}}
  const visitor = app.session()
  await visitor.get(`${path}/new`)
  const wrong = { ...(await form()), {{param}}: await create{{Parent}}() }
  const saved = await visitor.post(path, { form: wrong })
  assert.equal(saved.status, 302)
  assert.equal((await visitor.post(saved.location ?? '', { form: wrong })).status, 302)
  assert.equal((await app.get(`${path}.json`)).json()[0].{{paramMember}}, {{param}})
})

it('has no pages below {{parentOne}} that is not there', async () => {
  for (const rest of ['', '/new', '.json']) {
    const page = await app.get(`{{missingPath}}${rest}`)
    assert.equal(page.status, 404)
  }
})
