/** Rules about which texts a value may be. */
import { describedRule, Rule } from './rule.ts'
import type { JsonSchema } from './json-schema.ts'
import { isEmpty, textOf, type Measurable } from './text-rules.ts'
import { passed, type ValidationError } from './validation-error.ts'

/** A class rather than a closure: these rules are made anew for each request. */
class ChoiceRule extends Rule<Measurable> {
  readonly name = 'oneOf'
  readonly choices: readonly string[]

  constructor(choices: readonly string[]) {
    super()
    this.choices = choices
  }

  override get jsonSchema(): JsonSchema {
    return { enum: [...this.choices] }
  }

  override errorsOf(value: Measurable): readonly ValidationError[] {
    if (isEmpty(value) || this.choices.includes(textOf(value))) return passed
    return [{ name: this.name, messageParams: [this.choices.join(', ')] }]
  }
}

/** One of these texts, letter for letter. */
export const oneOf = (...choices: readonly string[]): Rule<Measurable> => new ChoiceRule(choices)

const uuidText = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** A UUID of any version, with its four dashes. */
export const uuid: Rule<Measurable> = describedRule<Measurable>(
  'uuid',
  (value) => isEmpty(value) || uuidText.test(textOf(value)),
  { format: 'uuid', pattern: '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' },
)
