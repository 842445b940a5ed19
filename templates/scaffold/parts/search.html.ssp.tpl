#if (items.length > 0 || list.isRestricted)
<form class="search" method="get" action="{{url}}" role="search">
#for ([name, value] of Object.entries(list.kept))
<input type="hidden" name="${name}" value="${value}">
#end
{{search}}
{{filters}}
<button>${s.i18n.get('common.search')}</button>
#if (list.isRestricted)
<a href="{{url}}">${s.i18n.get('{{m}}.view.all')}</a>
#end
</form>
#end
