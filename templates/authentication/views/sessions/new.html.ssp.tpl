<% set('title', s.i18n.get('account.logIn')) %>
<h1>${s.i18n.get('account.logIn')}</h1>
<form method="post" action="${s.url(routes.sessions.createUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'email', label: s.i18n.get('account.email'), type: 'email', autocomplete: '{{emailAutocomplete}}' } %>
<%@include '/account/_field' { name: 'password', label: s.i18n.get('account.password'), type: 'password', autocomplete: 'current-password' } %>
<label for="remember">${s.i18n.get('account.remember')}</label>
<input id="remember" name="remember" type="checkbox" value="true">
<div class="actions"><button>${s.i18n.get('account.logIn')}</button></div>
</form>
<ul>
<li><a href="${s.url(routes.mailedLinks.newMagicUrl)}">${s.i18n.get('account.magic')}</a></li>
<li><a href="${s.url(routes.mailedLinks.newResetUrl)}">${s.i18n.get('account.forgotten')}</a></li>
<li><a href="${s.url(routes.mailedLinks.newRegistrationUrl)}">${s.i18n.get('account.register')}</a></li>
</ul>
{{passkeyForm}}
