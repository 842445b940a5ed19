/** The types of `mix`. What its traits do is tested by the specification's tests. */
import { expectTypeOf, test } from 'vitest'
import type { ControllerClass, Ctor } from '../action.ts'
import { FwController, mix } from '../controller.ts'
import { filterTrait } from './trait.ts'

interface HasLabels {
  /** A trait's member may be optional. */
  readonly label?: string
  mark?(): void
}

test('the members of a trait remain, also if all of them are optional', () => {
  const Labels = <B extends ControllerClass>(Base: B): B & Ctor<HasLabels> => {
    abstract class Labelled extends Base implements HasLabels {
      readonly label = 'new'
    }
    return Labelled
  }
  const Mixed = mix(
    FwController,
    Labels,
    filterTrait('Nothing', () => {}),
  )
  abstract class Notes extends Mixed {}
  expectTypeOf<Notes['label']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Notes['mark']>().toEqualTypeOf<(() => void) | undefined>()
})

test('a trait without members adds no part to the class', () => {
  expectTypeOf(
    mix(
      FwController,
      filterTrait('Nothing', () => {}),
    ),
  ).toEqualTypeOf<typeof FwController>()
})
