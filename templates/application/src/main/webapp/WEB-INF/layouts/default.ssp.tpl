<%@val title: string = '' %>
<% const site = s.i18n.get('site.title') %>
<!doctype html>
<html lang="${s.i18n.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === '' ? site : `${title} · ${site}`}</title>
${s.csrfMetaTags}
<link rel="icon" href="${s.contextPath}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${s.contextPath}/assets/css/application.css">
</head>
<body>
<header>
<a href="${s.url(routes.root.indexUrl)}">${site}</a>
<nav>
</nav>
</header>
<main>
#if (s.flash.get('notice') !== undefined)
<p role="status">${s.flash.get('notice')}</p>
#end
#if (s.flash.get('alert') !== undefined)
<p role="alert">${s.flash.get('alert')}</p>
#end
${body}
</main>
</body>
</html>
