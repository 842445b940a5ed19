<% const heading = s.i18n.get('problem.conflict') %>
<% set('title', heading) %>
<h1>${heading}</h1>
<p>${s.i18n.get('problem.conflictAgain')}</p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
