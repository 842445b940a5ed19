it('filters the list', async () => {
  {{filterSetup}}
  {{filterChecks}}
})
