# {{title}}

A web application built with Fw. The documentation starts at
`node_modules/fwjs/docs/README.md`.

```
./fw run        # serves http://127.0.0.1:8080; installs missing dependencies first
./fw test       # runs all tests
./fw check      # checks the types of code and templates
./fw routes     # lists all routes and their filters
./fw console    # runs TypeScript with the models and the database
./fw doctor     # finds problems of the set-up, and explains how to solve them
./fw docs       # serves the documentation with its search at http://127.0.0.1:8081
```

Generate a first resource, with {{resourceParts}}:

```
./fw g {{resource}} members member name:String birthday:LocalDate
```

The application uses the PostgreSQL server in `DATABASE_URL`, or else an embedded PostgreSQL with its data in `db/data`.
`./fw run` applies the migrations in `db/migration` when it starts.

## Production

| Variable | Meaning |
|---|---|
| `FW_ENV` | `production` |
| `SECRET_KEY_BASE` | at least 32 random bytes, such as the output of `./fw secret` |
| `HOSTS` | the host names of the application |
| `DATABASE_URL` | the PostgreSQL server |

```
docker build -t {{packageName}} .
docker run -e DATABASE_URL {{packageName}} node_modules/.bin/fw db:migrate
docker run -p 8080:8080 -e SECRET_KEY_BASE -e HOSTS -e DATABASE_URL {{packageName}}
```
