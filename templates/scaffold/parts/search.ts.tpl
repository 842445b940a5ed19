it('searches the list', async () => {
  {{searchSetup}}
  {{searchChecks}}
  assert.equal(await countFound({ q: '%_%' }), 0)
})
