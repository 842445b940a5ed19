<%@val name: string %>
<%@val label: string %>
<%@val type: 'text' | 'email' | 'url' | 'date' | 'time' | 'datetime' | 'checkbox' | 'textarea' | 'list' | 'select' = 'text' %>
<%@val options: readonly (string | readonly [value: string, label: string])[] = [] %>
<%@val inputmode: 'text' | 'numeric' | 'decimal' = 'text' %>
<%@val number: boolean = false %>
<%@val maxlength: number | undefined = undefined %>
<%@val optional: string = '' %>
<%@val limit: string = '' %>
<%@val zone: string = '' %>
<%@val search: string = '' %>
<% const errors = s.keyAndErrorMessages.get(name) %>
<% const invalid = errors.length > 0 %>
<% const value = s.params.get(name) ?? '' %>
<% const described = invalid ? `${name}-error` : '' %>
<% const input = s.params.inputFor(name, type) %>
<label for="${name}">${label}#if (optional !== '') <span>${optional}</span>#end#if (limit !== '') <span>${limit}</span>#end#if (zone !== '') <span>${zone}</span>#end</label>
#if (input === 'textarea')
<textarea id="${name}" name="${name}" #if (maxlength !== undefined)maxlength="${maxlength}"#end aria-invalid="${invalid}" aria-describedby="${described}">
${value}</textarea>
#elseif (input === 'list')
<textarea id="${name}" name="${name}" aria-invalid="${invalid}" aria-describedby="${described}">
${s.params.getLines(name)}</textarea>
#elseif (input === 'select')
<% const choices = options.map((each) => (typeof each === 'string' ? ([each, each] as const) : each)) %>
<% const searched = s.params.under('_search').get(name) ?? '' %>
#if (search !== '' && (searched !== '' || options.length >= 200))
<div class="inputs">
<input name="${`_search.${name}`}" type="search" aria-label="${`${search}: ${label}`}" value="${searched}">
<input name="${`_searched.${name}`}" type="hidden" value="${searched}">
<button>${search}</button>
</div>
#end
<select id="${name}" name="${name}" aria-invalid="${invalid}" aria-describedby="${described}">
<option value=""></option>
#if (value !== '' && !choices.some(([each]) => each === value))
<option value="${value}" selected>${value}</option>
#end
#for ([each, text] of choices)
<option value="${each}" #if (value === each)selected#end>${text}</option>
#end
</select>
#elseif (input === 'checkbox')
<input id="${name}" name="${name}" type="checkbox" value="true" #if (value === 'true')checked#end>
#elseif (input === 'datetime')
<div class="inputs">
<input id="${name}" name="${`${name}Date`}" type="date" value="${s.params.get(`${name}Date`)}" aria-invalid="${invalid}" aria-describedby="${described}">
<input name="${`${name}Time`}" type="time" step="1" aria-label="${label}" value="${s.params.get(`${name}Time`)}" aria-invalid="${invalid}" aria-describedby="${described}">
</div>
#elseif (input === 'time')
<input id="${name}" name="${name}" type="time" step="1" value="${value.slice(0, 8)}" aria-invalid="${invalid}" aria-describedby="${described}">
#else
<input id="${name}" name="${name}" type="${input}" inputmode="${inputmode}" #if (maxlength !== undefined)maxlength="${maxlength}"#end value="${number ? s.numberText(name) : value}" aria-invalid="${invalid}" aria-describedby="${described}">
#end
#if (input === 'time' || input === 'datetime')
<% const exact = s.params.get(`${name}Exact`) %>
#if (exact !== undefined)
<input name="${`${name}Exact`}" type="hidden" value="${exact}">
#end
#end
#if (zone !== '')
<input name="_timeZone" type="hidden" value="${s.i18n.timeZone}">
#end
#if (invalid)
<small id="${described}">${errors.join(' ')}</small>
#end
