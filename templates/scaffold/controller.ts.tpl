/** {{title}}: listed, shown, created, changed and deleted, as {{formats}}. */
{{imports}}
{{parentImport}}
import { {{Model}} } from '#model/{{modelFile}}'
import { {{Base}} } from '{{basePath}}'
{{rules}}

export class {{Controller}} extends {{Resource}}({{Base}}, {
  model: {{Model}},
  resourcesName: '{{resourcesName}}',
  resourceName: '{{resourceName}}',
  {{prefixOptions}}
  createFormStrongParameters: {
    {{permitted}}
  },
  {{updateOptions}}
}) {{body}}

export const {{key}} = {{mount}}({{Controller}})
