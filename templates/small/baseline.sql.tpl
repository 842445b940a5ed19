-- The database as it was before its first migration. It is made where there is no table yet, as in a new database or
-- in that of the tests; a database that has tables is taken to have all of this already.
{{structure}}
