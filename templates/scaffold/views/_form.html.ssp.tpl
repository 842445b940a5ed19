{{ownImport}}
{{relationImports}}
<%@val action: string %>
<%@val back: string %>
{{isNew}}
{{optionValues}}
<form method="post" action="${action}"{{encoding}} novalidate>
#if (s.errorMessages.length > 0)
<p role="alert">${s.i18n.get('common.invalid')}</p>
#end
${s.csrfHiddenInputTag}
{{fields}}
<div class="actions">
<button>${s.i18n.get('common.save')}</button>
<a href="${back}">${s.i18n.get('common.cancel')}</a>
</div>
</form>
