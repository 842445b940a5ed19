it('shows the form again with messages', async () => {
  {{setup}}
  await visitor.get({{q}}{{pathText}}/new{{q}})
  const invalid = { ...(await form({{formArgument}})), {{invalidField}}: '{{invalidValue}}' }
  const page = await visitor.post({{path}}, { form: invalid })
  assert.equal(page.status, 400)
  assert.equal(page.all('[role=alert]').length, 1)
  assert.equal(page.all('#{{invalidField}}-error').length, 1)
})
