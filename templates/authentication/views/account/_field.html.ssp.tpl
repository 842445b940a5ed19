<%-- A field of a form, with its errors. The value of a password is never sent back. --%>
<%@val name: string %>
<%@val label: string %>
<%@val type: 'email' | 'password' | 'text' = 'text' %>
<%@val autocomplete: string = 'off' %>
<%@val hint: string = '' %>
<% const errors = s.keyAndErrorMessages.get(name) %>
<% const invalid = errors.length > 0 %>
<% const described = [...(hint === '' ? [] : [`${name}-hint`]), ...(invalid ? [`${name}-error`] : [])].join(' ') %>
<label for="${name}">${label}</label>
#if (hint !== '')
<span id="${`${name}-hint`}">${hint}</span>
#end
#if (type === 'password')
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" aria-invalid="${invalid}" aria-describedby="${described}">
#else
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${s.params.get(name)}" aria-invalid="${invalid}" aria-describedby="${described}">
#end
#if (invalid)
<small id="${`${name}-error`}">${errors.join(' ')}</small>
#end
