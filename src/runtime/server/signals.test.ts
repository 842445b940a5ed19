import { expect, test } from 'vitest'
import { handleSignals } from './signals.ts'

test('the first signal drains, cleans up and exits with 0; a second one exits at once', async () => {
  const steps: string[] = []
  const drained = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  const server = {
    close: () => (steps.push('close'), drained.promise),
    destroy: () => void steps.push('destroy'),
  }
  const remove = handleSignals(server, {
    onClosed: () => steps.push('onClosed'),
    exit: (code) => {
      steps.push(`exit ${code}`)
      if (code === 0) exited.resolve()
    },
  })
  try {
    process.emit('SIGTERM')
    expect(steps).toEqual(['close'])
    process.emit('SIGINT')
    expect(steps).toEqual(['close', 'destroy', 'exit 1'])
    drained.resolve()
    await exited.promise
    expect(steps.slice(3)).toEqual(['onClosed', 'exit 0'])
  } finally {
    remove()
  }
})

test('a failure while closing exits with 1', async () => {
  const exited = Promise.withResolvers<number>()
  const remove = handleSignals(
    { close: () => Promise.reject(new Error('no')), destroy() {} },
    { exit: exited.resolve },
  )
  process.emit('SIGTERM')
  remove()
  expect(await exited.promise).toBe(1)
})
