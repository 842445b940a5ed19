/** {{title}}, as the table {{table}} holds it. */
{{imports}}

export const {{Model}} = {{definition}}

export type {{Model}} = RowOf<typeof {{Model}}>
