// The controls of every page: search, color scheme, copying of code, and the choice of a framework.
const root = document.documentElement
const one = (selector, from = document) => from.querySelector(selector)
const all = (selector, from = document) => [...from.querySelectorAll(selector)]

function element(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children)
  return created
}

function store(name, value) {
  try {
    localStorage.setItem(name, value)
  } catch {
    // The browser stores nothing, so the choice ends with the page.
  }
}

function stored(name) {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

one('[data-switch-scheme]').addEventListener('click', () => {
  const isDark = root.dataset.scheme
    ? root.dataset.scheme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.scheme = isDark ? 'light' : 'dark'
  store('scheme', root.dataset.scheme)
})

// Browsers have the clipboard only on https and on this machine.
for (const figure of navigator.clipboard ? all('figure.code') : []) {
  const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    const code = one('code', figure).cloneNode(true)
    // Copy a diff without its removed lines and comments.
    if (one('ins, del', code)) all('del, .comment', code).forEach((line) => line.remove())
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  figure.append(button)
}

// Makes scrollable boxes focusable, so that the keyboard scrolls them.
function markScrolling() {
  for (const box of all('pre, .table')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  }
}
new ResizeObserver(markScrolling).observe(document.body)

const navigation = one('#navigation')
const current = one('[aria-current]', navigation)
if (current) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2

const dialog = one('#search')
const input = one('input', dialog)
const list = one('.results', dialog)
const count = one('.count', dialog)
let loading

/** Loads the index with the first search. */
async function loadSearch() {
  const [{ createSearch }, response] = await Promise.all([
    import('./search.js'),
    fetch(new URL('search.json', import.meta.url)),
  ])
  return createSearch(await response.json())
}

const renderResult = ({ id, title, page, excerpt }) =>
  element(
    'li',
    {},
    element(
      'a',
      { href: new URL(id, import.meta.url).href },
      element('strong', { textContent: title === page ? title : `${page}: ${title}` }),
      element('span', { textContent: excerpt }),
    ),
  )

async function search() {
  const query = input.value.trim()
  let find
  try {
    find = await (loading ??= loadSearch())
  } catch {
    // The next search loads it again.
    loading = undefined
    count.textContent = 'The search cannot be loaded.'
    return
  }
  if (query !== input.value.trim()) return
  const results = query === '' ? [] : find(query)
  list.replaceChildren(...results.map(renderResult))
  list.dataset.query = query
  count.textContent = query === '' ? '' : `${results.length} sections found`
}

function openSearch() {
  if (dialog.open) return
  navigation.hidePopover()
  dialog.showModal()
  input.select()
  void search()
}

input.addEventListener('input', search)
one('form', dialog).addEventListener('submit', (event) => {
  event.preventDefault()
  // The list may still show the results of an earlier query.
  if (list.dataset.query === input.value.trim()) one('a', list)?.click()
})
list.addEventListener('click', () => dialog.close())
one('[data-open-search]').addEventListener('click', openSearch)
one('[data-close-search]').addEventListener('click', () => dialog.close())
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close()
})
dialog.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const stops = [input, ...all('a', list)]
  const at = stops.indexOf(document.activeElement)
  stops[(at + step + stops.length) % stops.length].focus()
})
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select') !== null
  const isShortcut = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || event.key === '/'
  if (!isShortcut || isTyping) return
  event.preventDefault()
  openSearch()
})

// The title of a code block is the name of a framework; the reader chooses the one that is shown beside Fw.
const others = all('figure[data-title]').filter(({ dataset }) => dataset.title !== 'Fw')
const frameworks = [...new Set(others.map(({ dataset }) => dataset.title))]
if (frameworks.length > 0) {
  const isOther = (name, chosen) => chosen !== '' && frameworks.includes(name) && name !== chosen
  const choose = (chosen) => {
    for (const figure of others) figure.hidden = isOther(figure.dataset.title, chosen)
    for (const table of all('table')) {
      const names = all('th', table).map(({ textContent }) => textContent)
      for (const row of table.rows)
        [...row.cells].forEach((cell, at) => (cell.hidden = isOther(names[at], chosen)))
    }
  }
  const select = element(
    'select',
    {},
    element('option', { value: '', textContent: 'all frameworks' }),
    ...frameworks.map((name) => element('option', { value: name, textContent: name })),
  )
  select.value = frameworks.includes(stored('framework')) ? stored('framework') : ''
  select.addEventListener('change', () => {
    store('framework', select.value)
    choose(select.value)
  })
  choose(select.value)
  one('h1').after(element('p', {}, element('label', {}, 'Compare with ', select)))
}
