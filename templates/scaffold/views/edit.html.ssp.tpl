<%@import type { {{Model}} } from '#model/{{modelFile}}' %>
{{relationImports}}
{{parentImport}}
{{parentValue}}
<%@val item: {{Model}} %>
{{optionValues}}
<% set('title', s.i18n.get('{{m}}.view.edit')) %>
{{editCrumbs}}
<h1>${s.i18n.get('{{m}}.view.edit')}</h1>
<%@include '_form' { action: s.url(routes.{{key}}.updatePostUrl{{itemParams}}), back: s.url(routes.{{key}}.showUrl{{itemParams}}){{passedOptions}} } %>
