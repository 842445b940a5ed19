<% set('title', s.i18n.get('secondFactor.title')) %>
<h1>${s.i18n.get('secondFactor.title')}</h1>
<form method="post" action="${s.url(routes.codes.createUrl)}" novalidate>
${s.csrfHiddenInputTag}
<%@include '/account/_field' { name: 'code', label: s.i18n.get('secondFactor.code'), autocomplete: 'one-time-code', hint: s.i18n.get('secondFactor.recoveryHint') } %>
<div class="actions"><button>${s.i18n.get('account.logIn')}</button></div>
</form>
