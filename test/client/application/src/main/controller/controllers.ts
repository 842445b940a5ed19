/** Every controller of the application. */
import { articlesApi } from './articles-controller.ts'

export const controllers = { articles: articlesApi }
