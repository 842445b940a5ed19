<h1>${s.i18n.get('root.heading')}</h1>
<ul class="resources">
{{links}}
</ul>
