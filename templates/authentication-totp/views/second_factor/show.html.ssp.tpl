<% set('title', s.i18n.get('secondFactor.title')) %>
<h1>${s.i18n.get('secondFactor.title')}</h1>
<p>${s.i18n.get('secondFactor.active')}</p>
<form method="post" action="${s.url(routes.secondFactor.destroyUrl)}">
${s.csrfHiddenInputTag}
<div class="actions">
<button>${s.i18n.get('secondFactor.remove')}</button>
<a href="${s.url(routes.account.showUrl)}">${s.i18n.get('account.title')}</a>
</div>
</form>
