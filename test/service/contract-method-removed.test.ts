import { readFile } from 'node:fs/promises'
import t from 'tap'
import { isLong } from '../support/runs.js'
import { scratchCopy } from '../support/scratch-copy.js'
import { post, type RunningService, startService } from '../support/service.js'

/**
 * Every forwarded method can be removed from openrpc.json without affecting others. The short form removes three of them
 * at once.
 */
interface Method {
  readonly name: string
  readonly 'x-answer'?: unknown
  readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[]
}

const { methods } = JSON.parse(await readFile('openrpc.json', 'utf8')) as {
  readonly methods: readonly Method[]
}
const forwarded = methods.filter((method) => method['x-answer'] === 'node').map(({ name }) => name)
/** One that other methods link to, one that reads the head, and one that the service itself calls. */
const inShort = ['eth_getUncleCountByBlockHash', 'eth_getBlockByNumber', 'eth_getTransactionByHash']

/** Calls every method with the parameters of its first example; returns the kind of result or the error code. */
async function outcomes({ networks }: RunningService): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const { name, examples } of methods) {
    const params = examples[0]?.params.map(({ value }) => value)
    const { json } = await post(networks.test.url, { jsonrpc: '2.0', id: 1, method: name, params })
    const { result, error } = json
    found.set(name, error === undefined ? (result === null ? null : typeof result) : error.code)
  }
  return found
}

const service = await startService()
t.teardown(() => service.stop())
const whole = await outcomes(service)

t.test('the methods include those of the short form', async (t) => {
  t.same(
    inShort.filter((name) => !forwarded.includes(name)),
    [],
  )
  t.notOk([...whole.values()].includes(-32601))
})

for (const removed of isLong ? forwarded.map((name) => [name]) : [inShort]) {
  t.test(
    `without ${removed.join(', ')} the service compiles, starts and answers all other methods`,
    async (t) => {
      const copy = await scratchCopy(t)
      await copy.edit((document) => {
        document.methods = document.methods.filter((method) => !removed.includes(method.name))
        const { 'x-head': head } = document.info as { 'x-head'?: { readonly method: string } }
        // The judge reads the head with a method of the contract.
        if (head !== undefined && removed.includes(head.method)) delete document.info['x-head']
      })
      await copy.build()
      const answers = await outcomes(await copy.start())
      const expected = new Map([...whole, ...removed.map((name) => [name, -32601] as const)])
      t.same([...answers], [...expected])
    },
  )
}
