import router from '@adonisjs/core/services/router'

/** Middleware of the pages. The API uses neither sessions nor tokens of forms. */
export const middleware = router.named({
  session: () => import('@adonisjs/session/session_middleware'),
  shield: () => import('@adonisjs/shield/shield_middleware'),
})
