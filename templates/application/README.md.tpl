# {{title}}

A web application on [Fw](https://www.npmjs.com/package/fwjs).

```
./fw run        # http://127.0.0.1:8080; installs what is missing first
./fw test       # every test
./fw check      # the types of code and templates
./fw routes     # every route, and what runs around it
./fw console    # TypeScript with models and database at hand
./fw doctor     # what is wrong with the set-up, and how to mend it
```

A first resource, with pages, JSON, XML, a table and tests:

```
./fw g scaffold members member name:String birthday:LocalDate
```

Without `DATABASE_URL` the application keeps its rows in an embedded PostgreSQL in `db/data`; with it, on that server.
`./fw run` applies the migrations of `db/migration` when it starts.

## Production

| Variable | Meaning |
|---|---|
| `FW_ENV` | `production` |
| `SECRET_KEY_BASE` | at least 32 random bytes, such as the output of `./fw secret` |
| `HOSTS` | the host names that are served |
| `DATABASE_URL` | the PostgreSQL server |

```
docker build -t {{packageName}} .
docker run -e DATABASE_URL {{packageName}} npx fw db:migrate
docker run -p 8080:8080 -e SECRET_KEY_BASE -e HOSTS -e DATABASE_URL {{packageName}}
```
