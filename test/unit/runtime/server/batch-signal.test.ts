import { once } from 'node:events'
import t from 'tap'
import { createService } from '../../../../src/runtime/server/index.js'
import { createCalculator, methods } from './calculator.js'

t.test('all calls of a batch may listen to the signal, without a warning of Node.js', async (t) => {
  const heard: number[] = []
  const service = createService({
    methods,
    handlers: {
      ...createCalculator(),
      // Listens as long as the call runs, as calls that wait for their turns do.
      echo: async (
        _params: unknown,
        _context: unknown,
        { signal, index }: { signal: AbortSignal; index: number },
      ) => {
        signal.addEventListener('abort', () => heard.push(index))
        return null
      },
    },
  })
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => warnings.push(message)
  process.on('warning', onWarning)
  const batch = Array.from({ length: 40 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'echo', params: [id] }))
  await service.handle(Buffer.from(JSON.stringify(batch)), service.begin(undefined))
  // Node.js reports its warnings in order, so that of the batch comes before this one.
  const last = once(process, 'warning')
  process.emitWarning('the last one')
  await last
  process.off('warning', onWarning)
  t.same(warnings, ['the last one'])
})
