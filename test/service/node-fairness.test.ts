import t from 'tap'
import { createKey } from '../support/keys.js'
import { sendAnswers, startNodeServer } from '../support/node-server.js'
import { call, post, startService } from '../support/service.js'
import { until } from '../support/until.js'

/**
 * Users whose batches wait at a slow node: the calls of other users do not wait for them. Each test must end before
 * the node's time-out.
 */
const batchItems = 100
/** The most requests for one user that a node has at once. */
const atOnce = 32
/** Of each batch 32 calls are forwarded at once, in requests of up to 50: at least 38 requests for one user. */
const batches = 60

/** The beginning of accounts about which the node holds requests. It answers requests about other accounts, too. */
const attacked = 'aa'
/** The number of held requests by method. */
const held = new Map<string, number>()
const node = await startNodeServer({
  fault(request, response) {
    const [first] = request.calls
    if (first === undefined || !/eth_(call|getBalance)/.test(first.method)) return false
    const isHeld = request.calls.every(({ params }) => JSON.stringify(params).includes(`0x${attacked}`))
    if (isHeld) held.set(first.method, (held.get(first.method) ?? 0) + 1)
    else sendAnswers(request, response, () => ({ result: '0x10' }))
    return true
  },
})
const service = await startService({
  env: { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: node.url, CONCORDAT_LOG_LEVEL: 'silent' },
})
t.teardown(async () => {
  await node.close()
  await service.stop()
})

const keyOf = async (user: string) =>
  (await createKey(service, '--user', `${user}@example.com`, '--network', 'test', '--name', 'key')).url

const account = (prefix: string, number: number) => `0x${prefix}${number.toString(16).padStart(38, '0')}`
let accounts = 0

/** A call about an account that no other call is about. */
function request(method: string, id: number) {
  const own = account(attacked, accounts++)
  return { jsonrpc: '2.0', id, method, params: [method === 'eth_call' ? { to: own } : own, 'latest'] }
}

for (const method of ['eth_call', 'eth_getBalance'])
  t.test(`one user's ${method} in batches, and three users', leave the node to others`, async (t) => {
    const kind = method === 'eth_call' ? 'calls' : 'reads'
    const victim = await keyOf(`victim-${kind}`)
    let answered = 0
    const attack = (url: string, count: number) => {
      for (let batch = 0; batch < count; batch++) {
        const items = Array.from({ length: batchItems }, (_, id) => request(method, id))
        post(url, items).then(
          () => answered++,
          () => undefined,
        )
      }
    }
    const isServed = async () => {
      for (let number = 0; number < 4; number++) {
        const own = account('bb', accounts++)
        const params = method === 'eth_call' ? [{ to: own }] : [own]
        t.equal(await call(victim, method, ...params, 'latest'), '0x10')
      }
      t.equal(answered, 0, 'before any call of the others')
    }
    const [first = '', ...others] = await Promise.all(
      ['first', 'second', 'third'].map((name) => keyOf(`${name}-${kind}`)),
    )
    attack(first, 1)
    // Calls of constant cost share a request.
    await until(() => (held.get(method) ?? 0) >= (method === 'eth_call' ? atOnce : 1))
    await isServed()
    attack(first, batches - 1)
    await until(() => (held.get(method) ?? 0) >= atOnce)
    t.equal(held.get(method), atOnce, 'requests at once')
    await isServed()
    for (const url of others) attack(url, batches)
    await until(() => (held.get(method) ?? 0) > atOnce)
    await isServed()
  })
