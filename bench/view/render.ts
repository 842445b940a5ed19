/** Rendering against concatenation written by hand: `node --conditions=fwjs-source bench/view/render.ts`. */
import { testProject } from '../../test/view/project.ts'
import {
  createViewEngine,
  escapeAttribute,
  escapeText,
  generateViews,
  type CompiledView,
} from '../../src/view.ts'

const templates = {
  'views/fortunes.html.ssp': `<%@val fortunes: readonly { readonly id: number; readonly message: string }[] %>
<!DOCTYPE html>
<html>
<head><title>Fortunes</title></head>
<body>
<table>
<tr><th>id</th><th>message</th></tr>
#for (f of fortunes)
<tr><td>\${f.id}</td><td>\${f.message}</td></tr>
#end
</table>
</body>
</html>
`,
  'views/table.html.ssp': `<%@val rows: readonly { readonly id: number; readonly name: string; readonly email: string; readonly city: string; readonly active: boolean }[] %>
<!DOCTYPE html>
<html>
<body>
<table class="list">
#for (r of rows)
<tr class="\${r.active ? 'on' : 'off'}">
<td>\${r.id}</td><td><a href="/members/\${r.id}/edit">\${r.name}</a></td><td title="\${r.email}">\${r.email}</td><td>\${r.city}</td>
</tr>
#end
</table>
</body>
</html>
`,
}

interface Fortune {
  readonly id: number
  readonly message: string
}
interface Row {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly city: string
  readonly active: boolean
}

const fortunes: Fortune[] = [
  'fortune: No such file or directory',
  "A computer scientist is someone who fixes things that aren't broken.",
  'After enough decimal places, nobody gives a damn.',
  'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1',
  'A computer program does what you tell it to do, not what you want it to do.',
  'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen',
  'Any program that runs right is obsolete.',
  'A list is only as strong as its weakest link. — Donald Knuth',
  'Feature: A bug with seniority.',
  'Computers make very fast, very accurate mistakes.',
  '<script>alert("This should not be displayed in a browser alert box.");</script>',
  'フレームワークのベンチマーク',
  'Additional fortune added at request time.',
].map((message, id) => ({ id, message }))
const rows: Row[] = Array.from({ length: 1000 }, (_, id) => ({
  id,
  name: `Member ${id}${id % 10 ? '' : " O'Neil & sons"}`,
  email: `member${id}@example.com`,
  city: ['Tokyo', 'Zürich', 'New York', 'Łódź'][id % 4]!,
  active: id % 3 > 0,
}))

function fortunesByHand(): string {
  let out =
    '<!DOCTYPE html>\n<html>\n<head><title>Fortunes</title></head>\n<body>\n<table>\n<tr><th>id</th><th>message</th></tr>\n'
  for (const f of fortunes)
    out += '<tr><td>' + f.id + '</td><td>' + escapeText(f.message) + '</td></tr>\n'
  return out + '</table>\n</body>\n</html>\n'
}

function tableByHand(): string {
  let out = '<!DOCTYPE html>\n<html>\n<body>\n<table class="list">\n'
  for (const r of rows) {
    out +=
      '<tr class="' +
      escapeAttribute(r.active ? 'on' : 'off') +
      '">\n<td>' +
      r.id +
      '</td><td><a href="/members/' +
      r.id +
      '/edit">' +
      escapeText(r.name) +
      '</a></td><td title="' +
      escapeAttribute(r.email) +
      '">' +
      escapeText(r.email) +
      '</td><td>' +
      escapeText(r.city) +
      '</td>\n</tr>\n'
  }
  return out + '</table>\n</body>\n</html>\n'
}

/** Microseconds a run, the best of several rounds; the string is flattened as writing it to a socket would. */
function measure(render: () => string, times: number): () => number {
  return () => {
    const begun = performance.now()
    for (let at = 0; at < times; at++) Buffer.byteLength(render())
    return ((performance.now() - begun) / times) * 1000
  }
}

const project = testProject(templates)
try {
  generateViews(project)
  const engine = createViewEngine({ ...project, mode: 'production' })
  await engine.load()
  const view = (name: string): CompiledView => engine.find(name, 'html') as CompiledView
  const ssp = (name: string, values: object) => () =>
    view(name).render(values, { cspNonce: '' }, {}) as string
  const cases = [
    ['fortunes', fortunesByHand, ssp('/fortunes', { fortunes }), 3000],
    ['table of 1000 rows', tableByHand, ssp('/table', { rows }), 60],
  ] as const
  for (const [name, hand, own, times] of cases) {
    if (hand() !== own()) throw new Error(`${name}: the outputs differ`)
    const [byHand, bySsp] = [measure(hand, times), measure(own, times)]
    let [bestHand, bestSsp] = [Infinity, Infinity]
    for (let round = 0; round < 30; round++) {
      bestHand = Math.min(bestHand, byHand())
      bestSsp = Math.min(bestSsp, bySsp())
    }
    console.log(
      `${name}: by hand ${bestHand.toFixed(1)} µs, .ssp ${bestSsp.toFixed(1)} µs, speed ${(bestHand / bestSsp).toFixed(2)} of by hand`,
    )
  }
} finally {
  project.remove()
}
