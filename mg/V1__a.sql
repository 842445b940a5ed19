-- no transaction
create table if not exists mg1 (v int);
