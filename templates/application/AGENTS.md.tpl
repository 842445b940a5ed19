# How to work in this application

It is built on `fwjs`. Everything a change needs is started by `./fw`, which installs what is missing.

| To | Run |
|---|---|
| check the types of code **and** templates | `./fw check` |
| run the tests | `./fw test`, or `./fw test src/test/controller/root-controller.test.ts` |
| see every route, its action and its filters | `./fw routes`, or `./fw routes --json` |
| tell programs of the routes | `./fw openapi` (OpenAPI 3.1), `./fw client --output api.ts` (TypeScript); `./fw run` has a page at `/openapi` |
| try code with models and the database at hand | `echo 'await Member.count()' \| ./fw console --sandbox` |
| find out what is wrong with the set-up | `./fw doctor` |
| generate a resource | `./fw g scaffold members member name:String birthday:LocalDate` (`--pretend` shows it only) |
| take it away again | `./fw destroy scaffold members member` |

A change is done when `./fw check` and `./fw test` are green. How Fw does something is told in `node_modules/fwjs/docs/README.md`.

## Where things are

- `src/main/bootstrap.ts` mounts the controllers; the mount order is the order of precedence.
- `src/main/controller/`: a class with its routes below it; `controllers.ts` gathers them, views know that object as `routes`.
- `src/main/model/`: a table's fields and types. `db/migration/` holds SQL, never changed once it is applied elsewhere.
- `src/main/webapp/WEB-INF/views/`: templates. `<%@val name: Type %>` declares a value, `${…}` prints it escaped,
  `s.url(routes.members.showUrl, { id })` links; `s.i18n.get('key')` is a text of `src/main/resources/messages.yml`.
- `src/main/webapp/`: public files; `WEB-INF/` is never served.
- `src/test/`: Node's own test runner; each test's rows are rolled back. `factory/` writes rows for tests.

## Habits

- Only `params.permit({ … })` makes values that a model writes.
- Forms hold `${s.csrfHiddenInputTag}`; an unsafe request without the token is answered 403.
- `unescape(…)` is the only way to print raw HTML: do not use it for what a client sent.
- Updating and deleting from HTML: `<form method="post" action="…?_method=DELETE">`.
