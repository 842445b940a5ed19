it('shows the form again with messages', async () => {
  const form = { ...{{spreadForm}}, {{invalidField}}: '{{invalidValue}}' }
  const page = await visitor.post({{path}}, { form })
  assert.equal(page.status, 400)
  assert.equal(page.all('[role=alert]').length, 1)
  assert.equal(page.all('#{{invalidField}}-error').length, 1)
})
