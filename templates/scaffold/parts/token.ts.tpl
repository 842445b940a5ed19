async function visitorWithToken({{pathParameter}}) {
  const visitor = app.session()
  await visitor.get({{q}}{{pathText}}/new{{q}})
  return visitor
}
