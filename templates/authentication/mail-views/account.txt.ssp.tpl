<%@val kind: string %>
<%@val url: string %>
${s.i18n.getOrKey(`account.mail.${kind}.text`)}

${s.i18n.getOrKey(`account.mail.${kind}.button`)}: ${url}
