it('shows the form again with what is wrong', async () => {
  {{begin}}
  const visitor = app.session()
  await visitor.get({{q}}{{pathText}}/new{{q}})
  const wrong = { ...(await form()), {{invalidField}}: '{{invalidValue}}' }
  const page = await visitor.post({{path}}, { form: wrong })
  assert.equal(page.status, 400)
  assert.equal(page.all('[role=alert]').length, 1)
  assert.equal(page.all('#{{invalidKey}}-error').length, 1)
})
