- `src/main/webapp/WEB-INF/views/` contains templates. `<%@val name: Type %>` declares a value, `${…}` prints it escaped, and
  `s.url(routes.members.showUrl, { id })` returns a URL. `s.i18n.get('key')` returns a text of `src/main/resources/messages.yml`.
- `src/main/webapp/` contains public files. `WEB-INF/` is never served.
