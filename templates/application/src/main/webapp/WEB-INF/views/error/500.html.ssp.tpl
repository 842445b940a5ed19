<% set('title', 'Something went wrong') %>
<h1>Something went wrong</h1>
<p>The error has been logged. Try again in a moment.</p>
<p><code>${s.requestId}</code></p>
<p><a href="${s.url(routes.root.indexUrl)}">${s.i18n.get('site.title')}</a></p>
