<%@val name: string %>
<%@val label: string %>
<%@val optional: string = '' %>
<%@val remove: string = '' %>
<% const field = `${name}Id` %>
<% const errors = s.keyAndErrorMessages.get(field) %>
<% const invalid = errors.length > 0 %>
<% const id = s.params.get(field) ?? '' %>
<% const described = invalid ? `${name}-error` : '' %>
<% const limits = s.uploadLimits %>
<% const tooLarge = s.ruleMessage('fileSize', label, s.i18n.formatFileSize(limits.file)) %>
<% const tooMuch = s.ruleMessage('filesSize', label, s.i18n.formatFileSize(limits.form)) %>
<label for="${name}">${label}#if (optional !== '') <span>${optional}</span>#end</label>
<div class="attachment">
<canvas hidden></canvas>
#if (id !== '')
<img src="${s.url(routes.attachments.previewUrl, { id })}" alt="">
#if (remove !== '')
<label><input name="${`_remove.${name}`}" type="checkbox" value="true"> ${remove}</label>
#end
#end
<input name="${field}" type="hidden" value="${id}">
<input id="${name}" name="${name}" type="file" data-max-file="${limits.file}" data-max-form="${limits.form}" data-too-large="${tooLarge}" data-too-much="${tooMuch}" aria-invalid="${invalid}" aria-describedby="${described}">
</div>
#if (invalid)
<small id="${described}">${errors.join(' ')}</small>
#end
<script src="${s.contextPath}/assets/js/attachment.js" defer></script>
