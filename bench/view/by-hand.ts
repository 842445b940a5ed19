/** The baseline: the pages as hand-written concatenation with the same escapers. */
import { escapeAttribute, escapeText } from '../../src/runtime/view.ts'
import { fortunes, rows } from './data.ts'

export function fortunesByHand(): string {
  let out =
    '<!DOCTYPE html>\n<html>\n<head><title>Fortunes</title></head>\n<body>\n<table>\n<tr><th>id</th><th>message</th></tr>\n'
  for (const f of fortunes)
    out += '<tr><td>' + escapeText(f.id) + '</td><td>' + escapeText(f.message) + '</td></tr>\n'
  return out + '</table>\n</body>\n</html>\n'
}

export function tableByHand(): string {
  let out = '<!DOCTYPE html>\n<html>\n<body>\n<table class="list">\n'
  for (const r of rows) {
    out +=
      '<tr class="' +
      escapeAttribute(r.active ? 'on' : 'off') +
      '">\n<td>' +
      escapeText(r.id) +
      '</td><td><a href="/members/' +
      escapeAttribute(r.id) +
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
