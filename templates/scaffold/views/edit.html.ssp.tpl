<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
<%@val item: {{Model}} %>
<% set('title', s.i18n.get('{{m}}.view.edit')) %>
<h1>${s.i18n.get('{{m}}.view.edit')}</h1>
<%@include '_form' { action: s.url(routes.{{key}}.updatePostUrl, { id: item.{{id}} }), back: s.url(routes.{{key}}.showUrl, { id: item.{{id}} }) } %>
