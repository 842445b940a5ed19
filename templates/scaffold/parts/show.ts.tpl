
it('has a page of each record, and no other', async () => {
  for (const { {{idBinding}} } of (await visitor.get('{{pathText}}.json')).json())
    for (const format of ['', '.json', '.xml'])
      assert.equal((await visitor.get(`{{pathText}}/${{{idInPath}}}${format}`)).status, 200)
  for (const id of [{{unknownIds}}])
    assert.equal((await visitor.get(`{{pathText}}/${id}`)).status, 404)
})
