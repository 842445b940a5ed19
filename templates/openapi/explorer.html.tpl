<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="csrf-token" content="{{token}}">
<title>{{title}}: routes</title>
<style nonce="{{nonce}}">
{{style}}</style>
</head>
<body>
<main data-document="{{documentPath}}">
<header>
<h1>{{title}}</h1>
<p><a href="{{documentPath}}">OpenAPI document</a>. Only development serves this page.</p>
</header>
<noscript><p>This page needs JavaScript to list the routes. The document contains the same information.</p></noscript>
</main>
<script type="module" nonce="{{nonce}}">
{{script}}</script>
</body>
</html>
