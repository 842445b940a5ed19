${body}
-- 
${s.i18n.message('site.title')}
