import { expect, it } from 'vitest'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../params.ts'

it.each([
  ['isATMWorking', 'is_atm_working'],
  ['firstName', 'first_name'],
  ['FirstName', 'first_name'],
  ['first_name', 'first_name'],
  ['_firstName', '_first_name'],
  ['firstName_', 'first_name_'],
  ['ATM', 'atm'],
  ['address2Line', 'address2_line'],
  ['', ''],
])('snake case of %s is %s', (name, snake) => expect(toSnakeCase(name)).toBe(snake))

it.each([
  ['_first_name', 'firstName', 'FirstName'],
  ['FirstName', 'firstName', 'FirstName'],
  ['first_name', 'firstName', 'FirstName'],
  ['country_id', 'countryId', 'CountryId'],
  ['name', 'name', 'Name'],
  ['', '', ''],
])('camel case of %s is %s, upper %s', (name, camel, upper) => {
  expect(toCamelCase(name)).toBe(camel)
  expect(toUpperCamelCase(name)).toBe(upper)
})
