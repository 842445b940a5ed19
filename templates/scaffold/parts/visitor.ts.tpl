{{declarations}}
beforeEach(async () => {
  {{preparation}}
})
