/** The pages in other engines, compiled once and used as their documentation recommends for production. */
import { Edge } from 'edge.js'
import ejs from 'ejs'
import { Eta } from 'eta'
import Handlebars from 'handlebars'
import { jsx } from 'hono/jsx'
import pug from 'pug'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { fortunes, rows } from './data.ts'
import * as templates from './templates.ts'

/** The two pages of one engine. */
export interface Pages {
  readonly fortunes: () => string
  readonly table: () => string
}

type Render = (values: object) => string

const pagesOf = (compile: (page: 'fortunes' | 'table') => Render): Pages => {
  const [first, second] = [compile('fortunes'), compile('table')]
  return { fortunes: () => first({ fortunes }), table: () => second({ rows }) }
}

type Make = (tag: string, props: object, ...children: unknown[]) => unknown

function elements(make: Make, name: string) {
  const fortunesPage = () =>
    make(
      'html',
      {},
      make('head', {}, make('title', {}, 'Fortunes')),
      make(
        'body',
        {},
        make(
          'table',
          {},
          make('tr', {}, make('th', {}, 'id'), make('th', {}, 'message')),
          fortunes.map((f) =>
            make('tr', { key: f.id }, make('td', {}, f.id), make('td', {}, f.message)),
          ),
        ),
      ),
    )
  const row = (r: (typeof rows)[number]) =>
    make(
      'tr',
      { key: r.id, [name]: r.active ? 'on' : 'off' },
      make('td', {}, r.id),
      make('td', {}, make('a', { href: `/members/${r.id}/edit` }, r.name)),
      make('td', { title: r.email }, r.email),
      make('td', {}, r.city),
    )
  const tablePage = () =>
    make('html', {}, make('body', {}, make('table', { [name]: 'list' }, rows.map(row))))
  return { fortunesPage, tablePage }
}

const doctype = '<!DOCTYPE html>'
const honoPages = elements(jsx as never, 'class')
const reactPages = elements(createElement, 'className')
const eta = new Eta({ cache: true, autoTrim: false })
const edge = Edge.create({ cache: true })
for (const page of ['fortunes', 'table'] as const)
  edge.registerTemplate(page, { template: templates.edge[page] })

/** Engines by their name in the results table. */
export const peers: Readonly<Record<string, Pages>> = {
  'eta 4': pagesOf((page) => {
    const render = eta.compile(templates.eta[page]).bind(eta)
    return (values) => render(values)
  }),
  pug: pagesOf((page) => pug.compile(templates.pug[page], { compileDebug: false }) as Render),
  ejs: pagesOf((page) => ejs.compile(templates.ejs[page]) as Render),
  'edge.js': pagesOf((page) => (values) => edge.renderSync(page, values)),
  handlebars: pagesOf((page) => Handlebars.compile(templates.handlebars[page])),
  'hono/jsx': {
    fortunes: () => doctype + String(honoPages.fortunesPage()),
    table: () => doctype + String(honoPages.tablePage()),
  },
  'react-dom': {
    fortunes: () => doctype + (renderToStaticMarkup(reactPages.fortunesPage()) as string),
    table: () => doctype + (renderToStaticMarkup(reactPages.tablePage()) as string),
  },
}
