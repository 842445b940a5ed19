/** The user of the generated tests. Return one whom `sessionOf` of the life cycle takes if your pages need a login. */

export const defaultUser = async () => null
