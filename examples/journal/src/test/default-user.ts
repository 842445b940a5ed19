/** The user of the generated tests, who is logged in. */
import { createSampleAccount } from '#test/factory/account'

export const defaultUser = () => createSampleAccount()
