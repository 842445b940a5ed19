<%@val email: string %>
<% set('title', s.i18n.get('account.changeEmail')) %>
<h1>${s.i18n.get('account.changeEmail')}</h1>
<p>${s.i18n.get('account.confirmEmail', email)}</p>
<form method="post" action="${s.url(routes.mailedLinks.useEmailUrl)}">
${s.csrfHiddenInputTag}
<input type="hidden" name="token" value="${s.params.get('token')}">
<div class="actions"><button>${s.i18n.get('account.save')}</button></div>
</form>
