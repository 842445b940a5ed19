create table if not exists s1 (v int);
