/** Express with express-session, connect-pg-simple, csrf-sync, helmet, pg and EJS. */
import { join } from 'node:path'
import connectPgSimple from 'connect-pg-simple'
import { csrfSync } from 'csrf-sync'
import ejs from 'ejs'
import express from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { announce } from '../listen.js'
import { formatDate, isDate, listValues, Members, openPool, parseId, parsePage } from '../shared.js'

const pool = openPool()
const members = new Members(pool)
const app = express()

// The other peers hash no pages.
app.disable('etag')
app.set('view engine', 'ejs')
app.set('views', join(import.meta.dirname, 'views'))
app.enable('view cache')
// Without `with`, V8 optimizes the functions of the templates.
app.engine('ejs', (file, values, done) =>
  ejs.renderFile(file, values, { cache: true, _with: false, localsName: 'it' }, done),
)
app.locals.formatDate = formatDate

app.use(helmet())
app.get('/hello', (_request, response) => {
  response.type('text').send('Hello, World!')
})

app.get('/api/members', async (request, response) => {
  const { items, total } = await members.page(parsePage(request.query.page), request.query.q)
  response.set('X-Total-Count', total).json(items)
})
app.get('/api/members/:id', async (request, response, next) => {
  const id = parseId(request.params.id)
  const item = id === undefined ? undefined : await members.find(id)
  if (item === undefined) return next()
  response.json(item)
})

const pages = express.Router()
const { csrfSynchronisedProtection, generateToken } = csrfSync({
  getTokenFromRequest: (request) => request.body?._csrf,
})
const Store = connectPgSimple(session)
pages.use(
  session({
    secret: process.env.APP_KEY,
    store: new Store({ pool, disableTouch: true }),
    cookie: { secure: false, sameSite: 'lax' },
    resave: false,
    saveUninitialized: false,
  }),
)
pages.use(express.urlencoded({ extended: false }))
pages.use(csrfSynchronisedProtection)

function takeNotice({ session }) {
  const { notice } = session
  if (notice !== undefined) session.notice = undefined
  return notice ?? ''
}

function renderForm(request, response, values, errors) {
  response.render('form', {
    title: 'New member',
    notice: takeNotice(request),
    csrfToken: generateToken(request),
    values,
    errors,
  })
}

function validate({ name = '', birthday = '' }) {
  const errors = {}
  if (name.trim() === '') errors.name = 'Name is required'
  else if (name.length > 512) errors.name = 'Name is longer than 512 characters'
  if (!isDate(birthday)) errors.birthday = 'Birthday must be a date value'
  return errors
}

pages.get('/', async (request, response) => {
  const page = parsePage(request.query.page)
  const search = request.query.q ?? ''
  const values = listValues(await members.page(page, search), page, search)
  response.render('list', { ...values, notice: takeNotice(request) })
})
pages.get('/new', (request, response) => renderForm(request, response, {}, {}))
pages.get('/:id', async (request, response, next) => {
  const id = parseId(request.params.id)
  const item = id === undefined ? undefined : await members.find(id)
  if (item === undefined) return next()
  response.render('show', {
    title: item.name,
    item,
    notice: takeNotice(request),
    csrfToken: generateToken(request),
  })
})
pages.post('/', async (request, response) => {
  const errors = validate(request.body)
  if (errors.name || errors.birthday)
    return renderForm(request, response.status(400), request.body, errors)
  const id = await members.create(request.body)
  request.session.notice = 'The member was created.'
  response.redirect(`/members/${id}`)
})
app.use('/members', pages)

app.use((request, response) => {
  response.status(404)
  if (request.path.startsWith('/api/')) return response.json({ error: 'Not found' })
  response.render('not-found', { title: 'Not found', notice: '' })
})

const server = app.listen(0, '127.0.0.1', () => announce(server.address().port))
