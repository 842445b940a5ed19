it('are refused with what is wrong', async () => {
  const json = { ...(await form()), {{invalidField}}: '{{invalidValue}}' }
  const page = await app.post('{{path}}.json', { json })
  assert.equal(page.status, 400)
  assert.equal(page.json().{{invalidKey}}.length, 1)
})
