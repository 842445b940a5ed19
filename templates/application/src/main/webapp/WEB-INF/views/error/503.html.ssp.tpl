<% const heading = s.i18n.get('problem.busy') %>
<% set('title', heading) %>
<h1>${heading}</h1>
<p>${s.i18n.get('problem.busyAgain')}</p>
<p><a href="">${s.i18n.get('problem.again')}</a></p>
