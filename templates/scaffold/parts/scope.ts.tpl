it('reaches no record of another {{ownerWords}}, in {{formats}}', async () => {
  const id = await create{{Model}}()
  const record = await {{allRows}}.findById(id)
  for (const suffix of [{{suffixes}}]) {
    const fields = {{form}}
    const body = suffix === '' ? { form: fields } : { json: fields }
    const recordPath = `{{pathText}}/${id}`
    for (const [method, target] of [
      ['GET', recordPath + suffix],
      ['POST', recordPath + suffix],
      ['PUT', recordPath + suffix],
      ['PATCH', recordPath + suffix],
      ['DELETE', recordPath + suffix],
      {{moreRequests}}
    ] as const) {
      const page = await visitor.request(method, target, method === 'GET' ? {} : body)
      assert.equal(page.status, 404, `${method} ${target}`)
    }
  }
  assert.deepEqual(await {{allRows}}.findById(id), record)
})

it('lists no record of another {{ownerWords}}', async () => {
  await create{{Model}}()
  {{listCheck}}
  const list = await visitor.get({{q}}{{pathText}}.json{{q}})
  assert.deepEqual(list.json(), [])
  assert.equal(list.headers.get('x-total-count'), '0')
  const xml = (await visitor.get({{q}}{{pathText}}.xml{{q}})).body
  assert.equal(xml.includes('<{{idMember}}>'), false)
})

it('requires a login', async () => {
  for (const suffix of [{{listSuffixes}}]) {
    const { status } = await app.get(`{{pathText}}${suffix}`)
    assert.ok(status === 303 || status === 401, `${suffix}: ${status}`)
  }
})

it('belongs to the {{ownerOfUser}} who creates it, even if the body contains another one', async () => {
  const json = { ...{{spreadForm}}, {{ownerField}}: await create{{Owner}}() }
  const saved = await visitor.post({{q}}{{pathText}}.json{{q}}, { json })
  assert.equal(saved.status, 201)
  assert.equal(saved.json().{{ownerMember}}, {{ownerKey}})
  const changed = await visitor.put(saved.location ?? '', { json })
  assert.equal(changed.json().{{ownerMember}}, {{ownerKey}})
})
