<% set('title', s.i18n.get('account.magic')) %>
<h1>${s.i18n.get('account.magic')}</h1>
<p>${s.i18n.get('account.willMail')}</p>
<form method="post" action="${s.url(routes.mailedLinks.mailMagicUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'email', label: s.i18n.get('account.email'), type: 'email', autocomplete: 'username' } %>
<div class="actions">
<button>${s.i18n.get('account.sendMail')}</button>
<a href="${s.url(routes.sessions.newUrl)}">${s.i18n.get('account.logIn')}</a>
</div>
</form>
