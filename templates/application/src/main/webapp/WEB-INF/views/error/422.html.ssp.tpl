<% set('title', 'Not understood') %>
<h1>Not understood</h1>
<p>What was sent makes no sense here. Go back, check it and try again.</p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
