/** The parts of Kysely that Fw runs. The build bundles them into one file, because the first query would load 255 files. */
export {
  createQueryId,
  DummyDriver,
  expressionBuilder,
  ExpressionWrapper,
  Kysely,
  OperationNodeTransformer,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  sql,
} from 'kysely'
