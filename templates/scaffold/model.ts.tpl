/** {{title}}, as the table {{table}} holds them. */
{{imports}}

export const {{Model}} = model('{{table}}', {
  id: ParamType.Long,
  {{columns}}
  createdAt: ParamType.DateTime,
  updatedAt: ParamType.DateTime,
})

export type {{Model}} = RowOf<typeof {{Model}}>
