import router from '@adonisjs/core/services/router'
import { middleware } from './middleware.js'

const MembersController = () => import('../app/members_controller.js')
const ApiController = () => import('../app/api_controller.js')

router.get('/hello', () => 'Hello, World!')
router
  .group(() => {
    router.get('/members', [MembersController, 'index'])
    router.get('/members/new', [MembersController, 'create'])
    router.get('/members/:id', [MembersController, 'show']).where('id', router.matchers.number())
    router.post('/members', [MembersController, 'store'])
  })
  .use([middleware.session(), middleware.shield()])
router
  .group(() => {
    router.get('/members', [ApiController, 'index'])
    router.get('/members/:id', [ApiController, 'show']).where('id', router.matchers.number())
  })
  .prefix('/api')
