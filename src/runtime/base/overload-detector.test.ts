import { expect, test } from 'vitest'
import { OverloadDetector } from './overload-detector.ts'

/** A detector with a target of 100 ms. Its function calls `detect` each 10 ms, with so many arrivals and services between. */
function detector() {
  const own = new OverloadDetector(100)
  let now = 0
  const pass = (millis: number, wait: number, arrivals: number, services: number): boolean => {
    let isOverloaded = false
    for (const end = now + millis; now < end; now += 10) {
      for (let at = 0; at < arrivals; at++) own.arrive()
      for (let at = 0; at < services; at++) own.serve()
      isOverloaded = own.detect(now, wait)
    }
    return isOverloaded
  }
  return { own, pass }
}

test('a wait below the target is no overload, whatever arrives', () => {
  expect(detector().pass(10_000, 100, 10, 1)).toBe(false)
})

test('more arrivals than services for 200 ms above the target are overload', () => {
  const { pass } = detector()
  expect(pass(200, 101, 2, 1)).toBe(false)
  expect(pass(10, 101, 2, 1)).toBe(true)
})

test('a burst is served for 650 ms, and a second burst ends it no earlier', () => {
  const { pass } = detector()
  expect(pass(150, 101, 0, 1)).toBe(false)
  expect(pass(10, 101, 100, 1)).toBe(false)
  expect(pass(490, 101, 0, 1)).toBe(false)
  expect(pass(110, 101, 0, 1)).toBe(true)
})

test('overload lasts until no entry has been refused for a second, however short the waits are meanwhile', () => {
  const { own, pass } = detector()
  expect(pass(210, 101, 2, 1)).toBe(true)
  expect(pass(900, 1, 0, 1)).toBe(true)
  own.refuse(1100)
  expect(pass(900, 1, 0, 1)).toBe(true)
  expect(pass(110, 1, 0, 1)).toBe(false)
  expect(pass(200, 101, 2, 1)).toBe(false)
})

test('turns of more than a second do not end overload while entries wait too long', () => {
  const { own, pass } = detector()
  expect(pass(210, 101, 2, 1)).toBe(true)
  expect(own.detect(1500, 1200)).toBe(true)
  expect(own.detect(2700, 1)).toBe(false)
})

test('after the end of overload, the detection begins again', () => {
  const { own, pass } = detector()
  expect(pass(210, 101, 2, 1)).toBe(true)
  own.end()
  expect(pass(10, 101, 2, 1)).toBe(false)
})

test('a burst ends with an empty queue, so an earlier one does not make the next overload', () => {
  const { own, pass } = detector()
  expect(pass(600, 101, 0, 1)).toBe(false)
  own.endBurst()
  expect(pass(600, 101, 0, 1)).toBe(false)
})
