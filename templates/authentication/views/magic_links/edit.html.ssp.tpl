<% set('title', s.i18n.get('account.logIn')) %>
<h1>${s.i18n.get('account.logIn')}</h1>
<form method="post" action="${s.url(routes.mailedLinks.useMagicUrl)}">
${s.csrfHiddenInputTag}
<input type="hidden" name="token" value="${s.params.get('token')}">
<div class="actions"><button>${s.i18n.get('account.logIn')}</button></div>
</form>
