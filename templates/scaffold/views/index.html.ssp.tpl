<%@import type { ResourceList } from 'fwjs' %>
<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
{{relationImports}}
{{parentImport}}
{{parentValue}}
<%@val items: readonly {{record}}[] %>
<%@val list: ResourceList %>
{{optionValues}}
<% set('title', s.i18n.get('{{m}}.view.list')) %>
<div class="heading">
<h1>${s.i18n.get('{{m}}.view.list')}</h1>
{{addLink}}
</div>
{{parentLink}}
{{searchForm}}
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
#elseif (list.isRestricted)
<p class="empty">${s.i18n.get('{{m}}.view.none')}</p>
#else
<p class="empty">${s.i18n.get('{{m}}.view.empty')}</p>
#end
#if (list.total > 0)
<nav class="pages" aria-label="${s.i18n.get('common.pages')}">
#if (list.previous)
<a rel="first" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, list.first)}">${s.i18n.get('common.first')}</a>
<a rel="prev" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, list.previous)}">${s.i18n.get('common.previous')}</a>
#end
<span>${s.i18n.get(list.isTotalExact ? '{{m}}.view.count' : '{{m}}.view.more', list.total)}</span>
#if (list.next)
<a rel="next" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, list.next)}">${s.i18n.get('common.next')}</a>
<a rel="last" href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, list.last)}">${s.i18n.get('common.last')}</a>
#end
</nav>
#if (list.first || list.last || list.size !== 20)
<p class="sizes">${s.i18n.get('common.size')}
#for (size of [20, 50, 100])
<a href="${s.url(routes.{{key}}.indexUrl{{listParamsOrNone}}, list.withSize(size))}" #if (list.size === size)aria-current="true"#end>${size}</a>
#end
</p>
#end
#end
