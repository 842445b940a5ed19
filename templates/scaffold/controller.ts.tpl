/** {{title}}: {{actions}} as {{formats}}. */
{{imports}}
{{parentImport}}
{{modelImport}}
{{relationImports}}
import { {{Base}} } from '{{basePath}}'
{{rules}}

export class {{Controller}} extends {{Resource}}({{base}}, {
  model: {{Model}},
  {{scope}}
  resourcesName: '{{resourcesName}}',
  resourceName: '{{resourceName}}',
  {{pathOptions}}
  {{strongParameters}}
  {{updateOptions}}
  {{pageByKey}}
  {{include}}
}) {{body}}

export const {{key}} = {{mount}}({{Controller}})
