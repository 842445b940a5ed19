<% set('title', s.i18n.get('account.choosePassword')) %>
<h1>${s.i18n.get('account.choosePassword')}</h1>
<form method="post" action="${s.url(routes.mailedLinks.useResetUrl)}" novalidate>
${s.csrfHiddenInputTag}
<input type="hidden" name="token" value="${s.params.get('token')}">
<%@include '/account/_field' { name: 'password', label: s.i18n.get('account.newPassword'), type: 'password', autocomplete: 'new-password', hint: s.i18n.get('account.passwordHint') } %>
<div class="actions"><button>${s.i18n.get('account.save')}</button></div>
</form>
