it('are refused with messages by field', async () => {
  const json = { ...{{spreadForm}}, {{invalidField}}: '{{invalidValue}}' }
  const page = await visitor.post({{q}}{{pathText}}.json{{q}}, { json })
  assert.equal(page.status, 400)
  assert.equal(page.json().{{invalidField}}.length, 1)
})
