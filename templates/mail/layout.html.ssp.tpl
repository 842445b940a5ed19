<%@val subject: string %>
<!doctype html>
<html lang="${s.i18n.locale}" dir="${s.i18n.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>
body { margin: 0; padding: 24px 12px; background: #f3f4f6; color: #1c2024; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif }
.mail { width: 100%; max-width: 600px; margin: 0 auto; border-collapse: separate; border-spacing: 0 }
.content { padding: 32px; background: #ffffff; border: 1px solid #dfe3e8; border-radius: 8px }
.footer { padding: 16px 32px; color: #5b6470; font-size: 14px; text-align: center }
h1 { margin: 0 0 16px; font-size: 24px; line-height: 1.25 }
p { margin: 0 0 16px; overflow-wrap: anywhere }
p:last-child { margin-bottom: 0 }
a { color: #0b5cad }
.button { display: inline-block; padding: 12px 20px; background: #0b5cad; border-radius: 6px; color: #ffffff; font-weight: 600; text-decoration: none }
@media (max-width: 480px) { .content { padding: 20px !important } }
@media (prefers-color-scheme: dark) {
  body { background: #15181c !important; color: #e6e8eb !important }
  .content { background: #1d2126 !important; border-color: #30363d !important }
  .footer { color: #9aa4b2 !important }
  a { color: #8ab8f5 !important }
  .button { color: #ffffff !important }
}
</style>
</head>
<body>
<table role="presentation" class="mail">
<tr><td class="content">
${body}
</td></tr>
<tr><td class="footer">${s.i18n.message('site.title')}</td></tr>
</table>
</body>
</html>
