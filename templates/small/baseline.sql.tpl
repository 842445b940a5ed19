-- The structure of the database before its first migration. An empty database, such as that of the tests, starts with
-- it. In a database with tables, this migration counts as applied.
{{structure}}
