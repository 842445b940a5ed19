<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
{{relationImports}}
{{parentImport}}
{{parentValue}}
<%@val item: {{record}} %>
<% const heading = {{heading}} %>
<% set('title', heading) %>
{{crumbs}}
<h1><bdi>${heading}</bdi></h1>
<dl>
{{details}}
</dl>
<div class="actions">
{{changeLink}}
<a href="${s.url(routes.{{key}}.indexUrl{{listParams}})}">${s.i18n.get('{{m}}.view.back')}</a>
</div>
{{deleteForm}}
