/** {{title}}: a row of the table {{table}}. */
{{imports}}

export const {{Model}} = {{definition}}

export type {{Model}} = RowOf<typeof {{Model}}>
