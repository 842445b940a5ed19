/** {{title}}: a row of the table {{table}}. */
{{imports}}

export const {{Model}} = model('{{table}}', {
  id: ParamType.Long,
  {{columns}}
  createdAt: ParamType.DateTime,
  updatedAt: ParamType.DateTime,
})

export type {{Model}} = RowOf<typeof {{Model}}>
