# How to work in this application

The application uses the framework `fwjs`. `./fw` runs every task and installs missing dependencies.

| To | Run |
|---|---|
| check the types of code **and** templates | `./fw check` |
| run the tests | `./fw test`, or `./fw test src/test/controller/root-controller.test.ts` |
| list every route with its action and filters | `./fw routes`, or `./fw routes --json` |
| describe the routes for other programs | `./fw openapi` (OpenAPI 3.1), `./fw client --output api.ts` (TypeScript); `./fw run` serves a page at `/openapi` |
| run code with the models and the database | `echo 'await Member.count()' \| ./fw console --sandbox` |
| run a script with the application | `./fw runner scripts/import.ts` |
| find problems of the set-up | `./fw doctor` |
| generate a resource | `./fw g {{resource}} members member name:String birthday:LocalDate` (`--pretend` only shows the files) |
| add a language to the messages | `./fw g language fr`; `./fw check` lists the texts that are not translated |
| remove a generated resource | `./fw destroy {{resource}} members member` |

A change is complete when `./fw check` and `./fw test` succeed. The documentation starts at `node_modules/fwjs/docs/README.md`.

## Files

- `src/main/bootstrap.ts` mounts the controllers. Controllers that are mounted first have precedence.
- `src/main/controller/` contains controllers, each with its routes below the class. `controllers.ts` collects them.
- `src/main/model/` contains models: the fields of a table and their types. `db/migration/` contains SQL. Do not change a migration that another database has applied.
{{pageFiles}}
- `src/test/` contains tests for Node's test runner. Each test's database changes are rolled back. `factory/` contains functions that insert rows, `form/` the inputs of forms.

## Rules

- Models only write values from `params.permit({ … })`.
{{pageRules}}
