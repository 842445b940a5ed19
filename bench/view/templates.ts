/** The two pages as templates of each engine. */

const fortunesHead =
  '<!DOCTYPE html>\n<html>\n<head><title>Fortunes</title></head>\n<body>\n<table>\n<tr><th>id</th><th>message</th></tr>\n'
const tableHead = '<!DOCTYPE html>\n<html>\n<body>\n<table class="list">\n'
const tail = '</table>\n</body>\n</html>\n'

export const ssp = {
  'views/fortunes.html.ssp': `<%@val fortunes: readonly { readonly id: number; readonly message: string }[] %>
${fortunesHead}#for (f of fortunes)
<tr><td>\${f.id}</td><td>\${f.message}</td></tr>
#end
${tail}`,
  'views/table.html.ssp': `<%@val rows: readonly { readonly id: number; readonly name: string; readonly email: string; readonly city: string; readonly active: boolean }[] %>
${tableHead}#for (r of rows)
<tr class="\${r.active ? 'on' : 'off'}">
<td>\${r.id}</td><td><a href="/members/\${r.id}/edit">\${r.name}</a></td><td title="\${r.email}">\${r.email}</td><td>\${r.city}</td>
</tr>
#end
${tail}`,
}

/** Eta and EJS differ only in the names of values. */
const bracketed = (scope: string) => ({
  fortunes: `${fortunesHead}<% for (const f of ${scope}fortunes) { %><tr><td><%= f.id %></td><td><%= f.message %></td></tr>
<% } %>${tail}`,
  table: `${tableHead}<% for (const r of ${scope}rows) { %><tr class="<%= r.active ? 'on' : 'off' %>">
<td><%= r.id %></td><td><a href="/members/<%= r.id %>/edit"><%= r.name %></a></td><td title="<%= r.email %>"><%= r.email %></td><td><%= r.city %></td>
</tr>
<% } %>${tail}`,
})
export const eta = bracketed('it.')
export const ejs = bracketed('')

export const edge = {
  fortunes: `${fortunesHead}@each(f in fortunes)
<tr><td>{{ f.id }}</td><td>{{ f.message }}</td></tr>
@end
${tail}`,
  table: `${tableHead}@each(r in rows)
<tr class="{{ r.active ? 'on' : 'off' }}">
<td>{{ r.id }}</td><td><a href="/members/{{ r.id }}/edit">{{ r.name }}</a></td><td title="{{ r.email }}">{{ r.email }}</td><td>{{ r.city }}</td>
</tr>
@end
${tail}`,
}

export const handlebars = {
  fortunes: `${fortunesHead}{{#each fortunes}}<tr><td>{{id}}</td><td>{{message}}</td></tr>
{{/each}}${tail}`,
  table: `${tableHead}{{#each rows}}<tr class="{{#if active}}on{{else}}off{{/if}}">
<td>{{id}}</td><td><a href="/members/{{id}}/edit">{{name}}</a></td><td title="{{email}}">{{email}}</td><td>{{city}}</td>
</tr>
{{/each}}${tail}`,
}

export const pug = {
  fortunes: `doctype html
html
  head
    title Fortunes
  body
    table
      tr
        th id
        th message
      each f in fortunes
        tr
          td= f.id
          td= f.message
`,
  table: `doctype html
html
  body
    table.list
      each r in rows
        tr(class=r.active ? 'on' : 'off')
          td= r.id
          td: a(href='/members/' + r.id + '/edit')= r.name
          td(title=r.email)= r.email
          td= r.city
`,
}
