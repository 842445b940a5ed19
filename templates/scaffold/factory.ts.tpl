/** Writes {{words}} for tests. */
{{imports}}

{{counter}}
/** Inserts a row of sample values, replaced by those of `fields`{{result}}. */
{{head}}
  {{increment}}
  {{samples}}
  {{create}}
}
