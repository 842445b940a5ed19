<div hidden>
<form method="post" action="${s.url(routes.passkeyLogins.createUrl)}" data-passkey="log-in" data-options="${s.url(routes.passkeyLogins.optionsUrl)}">
${s.csrfHiddenInputTag}
<input type="hidden" name="credential" value="">
<div class="actions"><button>${s.i18n.get('passkey.logIn')}</button></div>
</form>
</div>
<script type="module" src="${s.url(routes.passkeyLogins.scriptUrl)}"></script>
