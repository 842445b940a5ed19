async function visitorWithToken({{pathParameter}}) {
  const visitor = app.session().as(await defaultUser())
  await visitor.get({{q}}{{pathText}}/new{{q}})
  return visitor
}
