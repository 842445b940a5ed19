<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
{{relationImports}}
{{parentImport}}
{{parentValue}}
<%@val item: {{record}} %>
<% const heading = {{heading}} %>
<% set('title', heading) %>
{{crumbs}}
<h1>${heading}</h1>
<dl>
{{details}}
</dl>
<div class="actions">
<a class="button" href="${s.url(routes.{{key}}.editUrl{{itemParams}})}">${s.i18n.get('{{m}}.view.change')}</a>
<a href="${s.url(routes.{{key}}.indexUrl{{listParams}})}">${s.i18n.get('{{m}}.view.back')}</a>
</div>
<details>
<summary>${s.i18n.get('{{m}}.view.delete')}</summary>
<form id="delete" method="post" action="${s.url(routes.{{key}}.destroyUrl{{itemParams}}, { _method: 'DELETE' })}">
${s.csrfHiddenInputTag}
<p>${s.i18n.get('{{m}}.view.confirm')}</p>
<div class="actions">
<button class="danger">${s.i18n.get('{{m}}.view.really')}</button>
</div>
</form>
</details>
