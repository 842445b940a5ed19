<%@val kind: string %>
<%@val url: string | undefined %>
${s.i18n.getOrKey(`account.mail.${kind}.text`)}
#if (url !== undefined)

${s.i18n.getOrKey(`account.mail.${kind}.button`)}: ${url}
#end
