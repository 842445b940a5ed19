<% set('title', 'Not found') %>
<h1>Not found</h1>
<p>There is no page at this address.</p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
