<%@val codes: readonly string[] %>
<% set('title', s.i18n.get('secondFactor.recovery')) %>
<h1>${s.i18n.get('secondFactor.recovery')}</h1>
<p role="status">${s.i18n.get('secondFactor.added')}</p>
<p>${s.i18n.get('secondFactor.keep')}</p>
<ul>
#for (code of codes)
<li><code>${code}</code></li>
#end
</ul>
<p><a href="${s.url(routes.account.showUrl)}">${s.i18n.get('account.title')}</a></p>
