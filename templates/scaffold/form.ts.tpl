/** The inputs of a form for {{words}}. */
{{imports}}

{{formFunction}}
