it('are refused with what is wrong', async () => {
  {{begin}}
  const json = { ...(await form()), {{invalidField}}: '{{invalidValue}}' }
  const page = await app.post({{q}}{{pathText}}.json{{q}}, { json })
  assert.equal(page.status, 400)
  assert.equal(page.json().{{invalidKey}}.length, 1)
})
