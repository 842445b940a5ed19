<%@import type { Passkey } from '#model/passkey' %>
<%@val passkeys: readonly Passkey[] %>
<% set('title', s.i18n.get('passkey.title')) %>
<h1>${s.i18n.get('passkey.title')}</h1>
<p><a href="${s.url(routes.account.showUrl)}">${s.i18n.get('account.title')}</a></p>
<p>${s.i18n.get('passkey.text')}</p>
#if (passkeys.length > 0)
<table class="stacked">
<thead><tr><th scope="col">${s.i18n.get('passkey.name')}</th><th scope="col">${s.i18n.get('passkey.createdAt')}</th><th scope="col">${s.i18n.get('account.actions')}</th></tr></thead>
<tbody>
#for (passkey of passkeys)
<tr>
<td data-label="${s.i18n.get('passkey.name')}"><bdi>${passkey.name}</bdi></td>
<td data-label="${s.i18n.get('passkey.createdAt')}">${s.i18n.formatDate(passkey.createdAt)}</td>
<td data-label="${s.i18n.get('account.actions')}"><form method="post" action="${s.url(routes.passkeys.destroyUrl)}">${s.csrfHiddenInputTag}<input type="hidden" name="id" value="${passkey.id}"><button>${s.i18n.get('passkey.remove')}</button></form></td>
</tr>
#end
</tbody>
</table>
#end
<div hidden>
<form method="post" action="${s.url(routes.passkeys.createUrl)}" data-passkey="create" data-options="${s.url(routes.passkeys.optionsUrl)}">
${s.csrfHiddenInputTag}
<input type="hidden" name="credential" value="">
<%@include '/account/_field' { name: 'name', label: s.i18n.get('passkey.name') } %>
<div class="actions"><button>${s.i18n.get('passkey.add')}</button></div>
</form>
</div>
<script type="module" src="${s.url(routes.passkeyLogins.scriptUrl)}"></script>
