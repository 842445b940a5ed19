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

test.each([
  ['born:date', 'did you mean LocalDate?'],
  ['count:integer', 'did you mean Int?'],
  ['at:Timestamp?', 'did you mean DateTime?'],
  ['photo:image', 'did you mean attachment?'],
])('%s of another framework suggests the type of Fw', (word, message) => {
  expect(() => parseAttributes([word])).toThrow(message)
})

test.each([
  ['state:enum:new,usagé', "'usagé' is not a value: a value has only the letters a to z"],
  ['state:enum:new', 'write an enum as'],
  ['state:enum:new,', 'write an enum as'],
])('%s is refused with the reason', (word, message) => {
  expect(() => parseAttributes([word])).toThrow(message)
})
