import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
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

test('an error that nothing caught drains without drainDelay and exits with 70, or with 70 after a failure', async () => {
  for (const fails of [false, true]) {
    const exited = Promise.withResolvers<number>()
    const closed: unknown[] = []
    const close = (...args: unknown[]): Promise<void> => {
      closed.push(args)
      return fails ? Promise.reject(new Error('no')) : Promise.resolve()
    }
    const lines: object[] = []
    const error = (fields: object, message: string) => void lines.push({ message, ...fields })
    const remove = handleSignals(
      { close, destroy() {} },
      { exit: exited.resolve, logger: { ...silentLogger, error } },
    )
    try {
      // Vitest also listens to the real events.
      const [listener] = process.listeners('uncaughtException').slice(-1)
      const lost = new Error('lost')
      listener!(lost, 'uncaughtException')
      listener!(lost, 'uncaughtException')
      expect(await exited.promise).toBe(70)
      expect(closed).toEqual([[undefined, 0]])
      expect(lines.slice(0, 2)).toMatchObject([{ err: lost }, { err: lost }])
    } finally {
      remove()
    }
  }
})
