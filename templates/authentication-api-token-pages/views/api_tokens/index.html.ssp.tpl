<%@import type { ApiToken } from '#model/api-token' %>
<%@val tokens: readonly ApiToken[] %>
<%@val created: string | undefined %>
<%@val scopes: readonly string[] %>
<%@val lifetimes: readonly string[] %>
<% set('title', s.i18n.get('apiToken.title')) %>
<% const daysErrors = s.keyAndErrorMessages.get('days') %>
<% const scopeErrors = s.keyAndErrorMessages.get('scopes') %>
<h1>${s.i18n.get('apiToken.title')}</h1>
<p>${s.i18n.get('apiToken.text')}</p>
<p><a href="${s.url(routes.account.showUrl)}">${s.i18n.get('account.title')}</a></p>
#if (created !== undefined)
<div role="status"><p>${s.i18n.get('apiToken.created')}</p><p><code dir="ltr">${created}</code></p></div>
#end
#if (tokens.length > 0)
<table class="stacked">
<thead><tr><th scope="col">${s.i18n.get('apiToken.name')}</th><th scope="col">${s.i18n.get('apiToken.start')}</th><th scope="col">${s.i18n.get('apiToken.scopes')}</th><th scope="col">${s.i18n.get('apiToken.lastUsedAt')}</th><th scope="col">${s.i18n.get('apiToken.expiresAt')}</th><th scope="col">${s.i18n.get('account.actions')}</th></tr></thead>
<tbody>
#for (token of tokens)
<tr>
<td data-label="${s.i18n.get('apiToken.name')}"><bdi>${token.name}</bdi></td>
<td data-label="${s.i18n.get('apiToken.start')}"><code dir="ltr">${token.prefix}…</code></td>
<td data-label="${s.i18n.get('apiToken.scopes')}">${token.scopes.join(', ')}</td>
<td data-label="${s.i18n.get('apiToken.lastUsedAt')}">${token.lastUsedAt === undefined ? s.i18n.get('apiToken.unused') : s.i18n.formatDate(token.lastUsedAt)}</td>
<td data-label="${s.i18n.get('apiToken.expiresAt')}">${s.i18n.formatDate(token.expiresAt)}</td>
<td data-label="${s.i18n.get('account.actions')}"><form method="post" action="${s.url(routes.apiTokens.destroyUrl, { id: token.id })}">${s.csrfHiddenInputTag}<button aria-label="${s.i18n.get('apiToken.revokeLong', token.name)}">${s.i18n.get('apiToken.revoke')}</button></form></td>
</tr>
#end
</tbody>
</table>
#end
<h2>${s.i18n.get('apiToken.create')}</h2>
<form method="post" action="${s.url(routes.apiTokens.createUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'name', label: s.i18n.get('apiToken.name') } %>
<fieldset aria-describedby="${scopeErrors.length > 0 ? 'scopes-error' : ''}">
<legend>${s.i18n.get('apiToken.scopes')}</legend>
#for (scope of scopes)
<label for="${`scope-${scope}`}">${scope}</label>
<input id="${`scope-${scope}`}" name="scopes" type="checkbox" value="${scope}" #if (scope === 'read')checked#end>
#end
#if (scopeErrors.length > 0)
<small id="scopes-error">${scopeErrors.join(' ')}</small>
#end
</fieldset>
<label for="days">${s.i18n.get('apiToken.days')}</label>
<select id="days" name="days" aria-invalid="${daysErrors.length > 0}">
#for (days of lifetimes)
<option>${days}</option>
#end
</select>
<div class="actions"><button>${s.i18n.get('apiToken.create')}</button></div>
</form>
