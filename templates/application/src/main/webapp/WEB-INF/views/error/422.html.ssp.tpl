<% set('title', 'Invalid request') %>
<h1>Invalid request</h1>
<p>The server cannot process these values. Go back, check them and try again.</p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
