<% set('title', '{{title}}') %>
<h1>{{title}}</h1>
