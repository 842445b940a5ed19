<%@import { deviceName } from 'fwjs/accounts' %>
<%@import type { Login } from '#model/login' %>
<%@import type { {{User}} } from '#model/{{file}}' %>
<%@val currentUser: {{User}} %>
<%@val logins: readonly Login[] %>
<%@val currentId: number | undefined %>
<% set('title', s.i18n.get('account.title')) %>
<h1>${s.i18n.get('account.title')}</h1>
<p>${currentUser.email}</p>
<ul>
<li><a href="${s.url(routes.security.editUrl)}">${s.i18n.get('account.security')}</a></li>
{{links}}
</ul>
<h2>${s.i18n.get('account.devices')}</h2>
<table class="stacked">
<thead><tr><th scope="col">${s.i18n.get('account.device')}</th><th scope="col">${s.i18n.get('account.since')}</th><th scope="col">${s.i18n.get('account.actions')}</th></tr></thead>
<tbody>
#for (login of logins)
<tr>
<td data-label="${s.i18n.get('account.device')}"><bdi>${deviceName(login.userAgent)}</bdi></td>
<td data-label="${s.i18n.get('account.since')}">${s.i18n.formatDate(login.createdAt)}</td>
<td data-label="${s.i18n.get('account.actions')}">
#if (login.id === currentId)
${s.i18n.get('account.thisDevice')}
#else
<form method="post" action="${s.url(routes.account.endLoginUrl, { id: login.id })}">${s.csrfHiddenInputTag}<button>${s.i18n.get('account.logOut')}</button></form>
#end
</td>
</tr>
#end
</tbody>
</table>
<div class="actions">
<form method="post" action="${s.url(routes.account.endOthersUrl)}">${s.csrfHiddenInputTag}<button>${s.i18n.get('account.logOutOthers')}</button></form>
<form method="post" action="${s.url(routes.sessions.destroyUrl)}">${s.csrfHiddenInputTag}<button>${s.i18n.get('account.logOut')}</button></form>
</div>
