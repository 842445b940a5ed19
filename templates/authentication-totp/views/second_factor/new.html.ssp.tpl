<%@import { renderSVG } from 'uqr' %>
<%@val secret: string %>
<%@val uri: string %>
<% set('title', s.i18n.get('secondFactor.title')) %>
<h1>${s.i18n.get('secondFactor.title')}</h1>
<p>${s.i18n.get('secondFactor.scan')}</p>
<div role="img" aria-label="${s.i18n.get('secondFactor.image')}" style="max-width: 16rem">${unescape(renderSVG(uri))}</div>
<p><code>${secret}</code></p>
<form method="post" action="${s.url(routes.secondFactor.createUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'code', label: s.i18n.get('secondFactor.code'), autocomplete: 'one-time-code' } %>
<div class="actions"><button>${s.i18n.get('account.save')}</button></div>
</form>
