it('searches among the records of a reference, and keeps what was entered', async () => {
  const sent = { ...{{spreadForm}}, '_search.{{reference}}': 'no such title' }
  const page = await visitor.post({{path}}, { form: sent })
  assert.equal(page.status, 200)
  const chosen = String(sent.{{reference}})
  assert.equal(page.attribute('#{{reference}} option[selected]', 'value'), chosen)
  assert.equal(page.all('#{{reference}} option').length, {{offered}})
  assert.equal((await visitor.get({{q}}{{pathText}}.json{{q}})).json().length, 0)
  const again = { ...sent, '_searched.{{reference}}': 'no such title' }
  const saved = await visitor.post({{path}}, { form: again })
  assert.equal(saved.status, 302)
})
