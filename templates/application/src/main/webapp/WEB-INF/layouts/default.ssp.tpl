<%@val title: string = '' %>
<%@val head: SafeHtml | undefined = undefined %>
<% const site = s.i18n.get('site.title') %>
<!doctype html>
<html lang="${s.i18n.locale}" dir="${s.i18n.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === '' ? site : `${title} · ${site}`}</title>
${s.csrfMetaTags}
<link rel="icon" href="${s.contextPath}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${s.contextPath}/assets/css/application.css">
${head}
</head>
<body>
<header>
<a href="${s.url(routes.root.indexUrl)}">${site}</a>
<nav>
</nav>
</header>
<main id="main">
<div id="flash"><%@include '/_flash' {} %></div>
${body}
</main>
</body>
</html>
