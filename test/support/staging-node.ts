import { faults } from '../../lab/faults/index.js'
import { onResult } from '../../src/judge/index.js'
import { startFaultyService } from './faulty-service.js'

type Test = { teardown: (work: () => unknown) => void }

/**
 * Starts the staging node of docs/qa.md: a service with two mistakes. It has accounts of its own, and no code is null.
 * @param origin the running service
 * @returns the origin of the staging node
 */
export async function startStagingNode(t: Test, origin: string): Promise<string> {
  const [known] = faults.filter(({ name }) => name === 'accounts-of-the-node')
  if (known === undefined) throw new TypeError('the fault of the guide is missing')
  const accounts = known.begin().answer
  const noCode = onResult(['eth_getCode'], (code) => (code === '0x' ? null : code)).answer
  const proxy = await startFaultyService({
    target: origin,
    fault: {
      ...known,
      begin: () => ({
        answer: async (answer, call, ask) => {
          const one = (await accounts?.(answer, call, ask)) ?? answer
          return (await noCode?.(one, call, ask)) ?? one
        },
      }),
    },
  })
  t.teardown(() => proxy.close())
  return proxy.origin
}
