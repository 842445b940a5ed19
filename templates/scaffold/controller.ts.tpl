/** {{title}}: listed, shown, created, changed and deleted, as {{formats}}. */
{{imports}}
import { {{Model}} } from '#model/{{modelFile}}'
import { {{Base}} } from '{{basePath}}'

export class {{Controller}} extends FwResource({{Base}}, {
  model: {{Model}},
  resourcesName: '{{resourcesName}}',
  resourceName: '{{resourceName}}',
  {{prefixOptions}}
  createFormStrongParameters: {
    {{permitted}}
  },
}) {{body}}

export const {{key}} = {{mount}}({{Controller}})
