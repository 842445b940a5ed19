<% const heading = s.i18n.get('problem.tooMany') %>
<% set('title', heading) %>
<h1>${heading}</h1>
<p>${s.i18n.get('problem.tooManyAgain')}</p>
<p><a href="">${s.i18n.get('problem.again')}</a></p>
