<% set('title', 'Not allowed') %>
<h1>Not allowed</h1>
<p>The form has expired or came from another site. Go back, reload the page and try again.</p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
