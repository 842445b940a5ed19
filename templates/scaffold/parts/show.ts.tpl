
it('has a page of each record, and no other', async () => {
  const visitor = app.session().as(await defaultUser())
  for (const { {{idBinding}} } of (await visitor.get('{{pathText}}.json')).json())
    for (const format of ['', '.json', '.xml'])
      assert.equal((await visitor.get(`{{pathText}}/${{{idInPath}}}${format}`)).status, 200)
  for (const id of [{{unknownIds}}])
    assert.equal((await visitor.get(`{{pathText}}/${id}`)).status, 404)
})
