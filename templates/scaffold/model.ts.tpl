/** {{title}}: a row of the {{kind}} {{table}}. */
{{imports}}

export const {{Model}} = {{definition}}

export type {{Model}} = RowOf<typeof {{Model}}>
