
/** Creates {{ownerWithArticle}}, and a visitor who is logged in as this {{ownerWords}}. */
async function logIn() {
  const {{ownerName}} = (await {{Owner}}.findById(await create{{Owner}}()))!
  return { {{ownerName}}, visitor: app.session().as({{ownerName}}) }
}
