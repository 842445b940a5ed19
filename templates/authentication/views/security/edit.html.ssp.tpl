<%@import type { {{User}} } from '#model/{{file}}' %>
<%@val currentUser: {{User}} %>
<% set('title', s.i18n.get('account.security')) %>
<h1>${s.i18n.get('account.security')}</h1>
<p><a href="${s.url(routes.account.showUrl)}">${s.i18n.get('account.title')}</a></p>
<h2>${s.i18n.get('account.changeEmail')}</h2>
<p>${currentUser.email}</p>
<form method="post" action="${s.url(routes.security.emailUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'email', label: s.i18n.get('account.newEmail'), type: 'email', autocomplete: 'email' } %>
<div class="actions"><button>${s.i18n.get('account.sendMail')}</button></div>
</form>
<h2>${s.i18n.get('account.changePassword')}</h2>
<form method="post" action="${s.url(routes.security.passwordUrl)}" novalidate>
${s.csrfHiddenInputTag}
#if (currentUser.passwordHash !== undefined)
<%@include '/account/_field' { name: 'currentPassword', label: s.i18n.get('account.currentPassword'), type: 'password', autocomplete: 'current-password' } %>
#end
<%@include '/account/_field' { name: 'password', label: s.i18n.get('account.newPassword'), type: 'password', autocomplete: 'new-password', hint: s.i18n.get('account.passwordHint') } %>
<div class="actions"><button>${s.i18n.get('account.save')}</button></div>
</form>
<h2>${s.i18n.get('account.delete')}</h2>
<details>
<summary>${s.i18n.get('account.delete')}</summary>
<form method="post" action="${s.url(routes.security.destroyUrl)}">
<p>${s.i18n.get('account.deleteText')}</p>
${s.csrfHiddenInputTag}
<div class="actions"><button class="danger">${s.i18n.get('account.deleteReally')}</button></div>
</form>
</details>
