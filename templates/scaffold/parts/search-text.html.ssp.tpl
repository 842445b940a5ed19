<label>${s.i18n.get('common.text')}
<input name="q" type="search" maxlength="200" value="${list.search}"></label>
