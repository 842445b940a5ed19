/** View helper › i18n of the specification: messages in the visitor's language. */
import { describe, expect, it, test } from 'vitest'
import { dateFormat, FwController, paramKey, required, routes } from '../../src/index.ts'
import { serve } from '../support/serve.ts'

const files = {
  'src/main/resources/messages.yml': 'hello: Hello {0}\nname: Name\nonly: English only\n',
  'src/main/resources/messages_de.yml':
    'hello: Hallo {0}\nday: Tag\nerror.required: "{0} fehlt"\nshown: "{0, date, long}"\n',
  'src/main/resources/messages_pt_BR.yml': 'hello: Olá {0}\n',
  'src/main/webapp/WEB-INF/views/hello.html.ssp': `<html lang="\${s.i18n.locale}"><p>\${s.i18n.get('hello', 'Ann')}</p></html>`,
}

class Greetings extends FwController {
  hello() {
    return this.render('/hello' as never)
  }
  choose() {
    this.ctx.locale = this.params.get('locale')
    return `${this.ctx.locale} ${this.i18n.get('hello', 'Ann')}`
  }
  forget() {
    this.ctx.locale = undefined
    return this.ctx.locale
  }
  judge() {
    const form = this.validation(
      this.params,
      paramKey('name').is(required),
      paramKey('day').is(dateFormat),
    )
    form.validate()
    return [...form.errorMessages, this.i18n.get('only')]
  }
}
const greetings = routes(Greetings, (r) => ({
  hello: r.get('/hello', 'hello'),
  choose: r.post('/choose', 'choose'),
  forget: r.post('/forget', 'forget'),
  judge: r.post('/judge', 'judge'),
}))

const asks = (language: string) => ({ headers: { 'accept-language': language } })

describe('the language', () => {
  it.each([
    ['de', 'de', 'Hallo Ann'],
    ['de-AT, en;q=0.9', 'de', 'Hallo Ann'],
    ['fr, pt-BR;q=0.5', 'pt-BR', 'Olá Ann'],
    ['en;q=0.2, de;q=0.1', 'en', 'Hello Ann'],
    ['fr', 'en', 'Hello Ann'],
    ['', 'en', 'Hello Ann'],
  ])('that the browser asks for: %s', async (header, locale, text) => {
    const app = await serve([greetings], { files })
    const page = await app.get('/hello', asks(header))
    expect(page.attribute('html', 'lang')).toBe(locale)
    expect(page.html('p')).toBe(text)
    expect(page.headers.get('vary')).toContain('Accept-Language')
  })

  it('is the default where the header is long and names no language', async () => {
    const app = await serve([greetings], { files })
    expect((await app.get('/hello', asks('x'.repeat(3000)))).html('p')).toBe('Hello Ann')
  })

  it('that the visitor chose goes before what the browser asks for, until it is forgotten', async () => {
    const app = await serve([greetings], { files })
    const visitor = app.visitor()
    expect((await visitor.post('/choose', { form: { locale: 'de' } })).body).toBe('de Hallo Ann')
    expect((await visitor.get('/hello', asks('pt-BR'))).html('p')).toBe('Hallo Ann')
    expect((await app.get('/hello', asks('pt-BR'))).html('p')).toBe('Olá Ann')
    expect((await visitor.post('/forget')).body).toBe('en')
    expect((await visitor.get('/hello', asks('pt-BR'))).html('p')).toBe('Olá Ann')
  })

  it.each(['xx', '', '../de', 'x'.repeat(5000), 'de\n'])(
    'cannot be chosen when there are no messages in it: %j',
    async (locale) => {
      const app = await serve([greetings], { files })
      const visitor = app.visitor()
      expect((await visitor.post('/choose', { form: { locale } })).body).toBe('en Hello Ann')
      expect((await visitor.get('/hello')).html('p')).toBe('Hello Ann')
    },
  )

  it('is not asked for where there is one only', async () => {
    const one = { ...files, 'src/main/resources/messages_de.yml': '' }
    const {
      'src/main/resources/messages_pt_BR.yml': _,
      'src/main/resources/messages_de.yml': __,
      ...rest
    } = one
    const app = await serve([greetings], { files: rest })
    const page = await app.get('/hello', asks('de'))
    expect(page.html('p')).toBe('Hello Ann')
    expect(page.headers.get('vary') ?? '').not.toContain('Accept-Language')
  })

  it('of messages.yml is what the configuration says', async () => {
    const app = await serve([greetings], { files, configuration: { 'i18n.defaultLocale': 'fr' } })
    expect((await app.get('/hello')).attribute('html', 'lang')).toBe('fr')
  })
})

test('errors of a validation, with labels and texts in the language, and the default ones where it has none', async () => {
  const app = await serve([greetings], { files })
  const judged = await app.post('/judge', { form: { day: 'x' }, ...asks('de') })
  expect(judged.json()).toEqual(['Name fehlt', 'Tag must be a date value', 'English only'])
})
