<% const heading = s.i18n.get('problem.failed') %>
<% set('title', heading) %>
<h1>${heading}</h1>
<p>${s.i18n.get('problem.logged')}</p>
<p><code>${s.requestId}</code></p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
