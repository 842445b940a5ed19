create table articles (
  id bigserial primary key,
  author_id bigint not null references users (id) on delete cascade,
  title varchar(160) not null,
  summary varchar(300) not null,
  body text not null,
  status varchar(9) not null default 'draft' check (status in ('draft', 'published')),
  published_at timestamptz,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (status = 'draft' or published_at is not null)
);
create index on articles (author_id);
create index on articles (title, id);
create index on articles (published_at, id) where status = 'published';
-- The expression is that of Article.search in src/main/model/article.ts.
create index articles_search on articles using gin (
  to_tsvector('english', coalesce(articles.title, '') || ' ' || coalesce(articles.summary, '') || ' ' || coalesce(articles.body, ''))
);

create table images (
  id bigserial primary key,
  article_id bigint not null unique references articles (id) on delete cascade,
  alt varchar(200) not null,
  content_type varchar(20) not null,
  digest varchar(32) not null,
  bytes bytea not null
);

create table tags (
  id bigserial primary key,
  name varchar(30) not null unique
);

create table article_tags (
  article_id bigint not null references articles (id) on delete cascade,
  tag_id bigint not null references tags (id) on delete cascade,
  primary key (article_id, tag_id)
);
create index on article_tags (tag_id);

create table comments (
  id bigserial primary key,
  article_id bigint not null references articles (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  body varchar(2000) not null,
  created_at timestamptz not null default now()
);
create index on comments (article_id, id);
create index on comments (author_id);

-- down
drop table comments;
drop table article_tags;
drop table tags;
drop table images;
drop table articles;
