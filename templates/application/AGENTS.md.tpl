# How to work in this application

The application uses the framework `fwjs`. `./fw` runs every task and installs missing dependencies.

| To | Run |
|---|---|
| check the types of code **and** templates | `./fw check` |
| run the tests | `./fw test`, or `./fw test src/test/controller/root-controller.test.ts` |
| list every route with its action and filters | `./fw routes`, or `./fw routes --json` |
| describe the routes for other programs | `./fw openapi` (OpenAPI 3.1), `./fw client --output api.ts` (TypeScript); `./fw run` serves a page at `/openapi` |
| run code with the models and the database | `echo 'await Member.count()' \| ./fw console --sandbox` |
| find problems of the set-up | `./fw doctor` |
| generate a resource | `./fw g scaffold members member name:String birthday:LocalDate` (`--pretend` only shows the files) |
| remove a generated resource | `./fw destroy scaffold members member` |

A change is complete when `./fw check` and `./fw test` succeed. The documentation starts at `node_modules/fwjs/docs/README.md`.

## Files

- `src/main/bootstrap.ts` mounts the controllers. Controllers that are mounted first have precedence.
- `src/main/controller/` contains controllers, each with its routes below the class. `controllers.ts` collects them; views access this object as `routes`.
- `src/main/model/` contains models: the fields of a table and their types. `db/migration/` contains SQL. Do not change a migration that another database has applied.
- `src/main/webapp/WEB-INF/views/` contains templates. `<%@val name: Type %>` declares a value, `${…}` prints it escaped, and
  `s.url(routes.members.showUrl, { id })` returns a URL. `s.i18n.get('key')` returns a text of `src/main/resources/messages.yml`.
- `src/main/webapp/` contains public files. `WEB-INF/` is never served.
- `src/test/` contains tests for Node's test runner. Each test's database changes are rolled back. `factory/` contains functions that insert rows.

## Rules

- Models only write values from `params.permit({ … })`.
- Forms contain `${s.csrfHiddenInputTag}`. The response to a `POST`, `PUT`, `PATCH` or `DELETE` request without the token is 403.
- `unescape(…)` is the only way to print raw HTML. Never pass it input of a client.
- HTML forms update and delete with `<form method="post" action="…?_method=DELETE">`.
