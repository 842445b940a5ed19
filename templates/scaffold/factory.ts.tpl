/** Writes {{words}} for tests. */
{{imports}}

{{counter}}
/** {{gives}}: samples, and the fields given in their place. */
{{head}}
  {{count}}
  const values = {
    {{samples}}
    ...fields,
  }
  {{create}}
}
