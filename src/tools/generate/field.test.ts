/** The notation of fields on the command line. */
import { expect, test } from 'vitest'
import { parseAttributes } from './field.ts'

test('the letter case of a type does not matter', () => {
  const lower = parseAttributes(['name:string', 'born:localdate?', 'at:Option[datetime]'])
  expect(lower).toEqual(parseAttributes(['name:String', 'born:LocalDate?', 'at:Option[DateTime]']))
})

test('a misspelt type suggests the one that was meant', () => {
  expect(() => parseAttributes(['name:strng'])).toThrow('did you mean String?')
})
