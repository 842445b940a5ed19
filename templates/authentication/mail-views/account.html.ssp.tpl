<%@val kind: string %>
<%@val url: string | undefined %>
<h1>${s.i18n.getOrKey(`account.mail.${kind}.subject`)}</h1>
<p>${s.i18n.getOrKey(`account.mail.${kind}.text`)}</p>
#if (url !== undefined)
<p><a class="button" href="${url}">${s.i18n.getOrKey(`account.mail.${kind}.button`)}</a></p>
#end
