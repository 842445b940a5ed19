<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
{{parentImport}}
{{parentValue}}
<%@val items: readonly {{Model}}[] %>
<%@val page: number %>
<%@val totalPages: number %>
<% set('title', s.i18n.get('{{m}}.view.list')) %>
<div class="heading">
<h1>${s.i18n.get('{{m}}.view.list')}</h1>
<a class="button" href="${s.url(routes.{{key}}.newUrl{{listParams}})}">${s.i18n.get('{{m}}.view.add')}</a>
</div>
{{parentLink}}
#if (items.length > 0)
<table class="stacked">
<thead>
<tr>
{{headings}}
</tr>
</thead>
<tbody>
#for (item of items)
<tr>
{{cells}}
</tr>
#end
</tbody>
</table>
#else
<p class="empty">${s.i18n.get('{{m}}.view.empty')}</p>
#end
#if (totalPages > 1)
<nav class="pages" aria-label="${s.i18n.get('{{m}}.view.pages')}">
#if (page > 1)
<a rel="prev" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, { page: page - 1, size: s.params.get('size') })}">${s.i18n.get('{{m}}.view.previous')}</a>
#end
<span>${page} / ${totalPages}</span>
#if (page < totalPages)
<a rel="next" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, { page: page + 1, size: s.params.get('size') })}">${s.i18n.get('{{m}}.view.next')}</a>
#end
</nav>
#end
