/** format: writes the code of a template in one form, without a change of what it prints. */
export { formatTemplate } from './format/format-template.ts'
