<details>
<summary>${s.i18n.get('common.delete')}</summary>
<form id="delete" method="post" action="${s.url(routes.{{key}}.destroyUrl{{itemParams}}, { _method: 'DELETE' })}">
${s.csrfHiddenInputTag}
<p>${s.i18n.get('{{m}}.view.confirm')}</p>
<div class="actions">
<button class="danger">${s.i18n.get('{{m}}.view.really')}</button>
</div>
</form>
</details>
