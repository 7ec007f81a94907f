import { readFileSync } from 'node:fs'
import t from 'tap'
import { post, startService } from '../support/service.js'

/** Every example that the contract marks `exact` is what the service answers, to the letter. */
interface Example {
  readonly name: string
  readonly 'x-replay': 'exact' | 'shape'
  readonly 'x-network'?: 'test' | 'main'
  readonly params: readonly { readonly value: unknown }[]
  readonly result?: { readonly value: unknown }
  readonly error?: { readonly value: unknown }
}

const { methods } = JSON.parse(readFileSync(new URL('../../openrpc.json', import.meta.url), 'utf8')) as {
  readonly methods: readonly { readonly name: string; readonly examples: readonly Example[] }[]
}
const service = await startService()
t.teardown(() => service.stop())

for (const { name, examples } of methods) {
  const exact = examples.filter((example) => example['x-replay'] === 'exact')
  if (exact.length === 0) continue
  t.test(`${name}: ${exact.length} exact`, async (t) => {
    for (const example of exact) {
      const params = example.params.map(({ value }) => value)
      for (const network of [example['x-network'] ?? ['test', 'main']].flat() as ('test' | 'main')[]) {
        const { json } = await post(service.networks[network].url, {
          jsonrpc: '2.0',
          id: 1,
          method: name,
          params,
        })
        const wanted = example.error ? { error: example.error.value } : { result: example.result?.value }
        t.same(json, { jsonrpc: '2.0', id: 1, ...wanted }, `${example.name} on the ${network} network`)
      }
    }
  })
}
