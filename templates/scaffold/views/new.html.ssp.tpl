{{ownImport}}
{{relationImports}}
{{parentImport}}
{{parentValue}}
{{optionValues}}
<% set('title', s.i18n.get('{{m}}.view.new')) %>
{{crumbs}}
<h1>${s.i18n.get('{{m}}.view.new')}</h1>
<%@include '_form' { action: s.url(routes.{{key}}.createUrl{{listParams}}), back: s.url(routes.{{key}}.indexUrl{{listParams}}){{newValue}}{{passedOptions}} } %>
