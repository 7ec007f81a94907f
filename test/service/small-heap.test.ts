import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { limits } from '../../generated/contract.js'
import { Bystander, HeavyCallers } from '../support/heavy-callers.js'
import { sized, startHeavyNode } from '../support/heavy-node.js'
import { createKey } from '../support/keys.js'
import { isLong, longTest } from '../support/runs.js'
import { call, startService } from '../support/service.js'

/** The worst that several users can do to a service with a small heap. It answers another user throughout. */
const users = 4
const mebibyte = 1_048_576
const rounds = isLong ? 4 : 1
/** Connections with bodies of 5 MiB, of each user on each network: fewer fill all shares, too. */
const largeBodies = isLong ? 8 : 3

const [test, main] = [await startHeavyNode('0x1f'), await startHeavyNode('0x1e')]
const service = await startService({
  command: 'serve',
  isHeapSmall: true,
  env: {
    CONCORDAT_NODES_TEST: test.url,
    CONCORDAT_NODES_MAIN: main.url,
    CONCORDAT_LOG_LEVEL: 'error',
    // On a busy machine, the database may answer late.
    CONCORDAT_TUNING_LEASE_REQUESTS: '5000',
    CONCORDAT_TUNING_LEASE_REQUESTS_MOST: '5000',
  },
})
t.teardown(async () => {
  await service.stop()
  await test.close()
  await main.close()
})

const urlOf = async (user: string, network: string) =>
  (await createKey(service, '--user', `${user}@example.com`, '--network', network, '--name', 'heap')).url
let bystanders = 0
/** A caller with its own user. On a fast machine, all callers together would spend the daily limit of one user. */
async function newBystander(): Promise<Bystander> {
  const url = await urlOf(`bystander${++bystanders}`, 'test')
  await call(url, 'eth_chainId')
  return new Bystander(url)
}
const urls: string[] = []
for (let user = 0; user < users; user++)
  urls.push(await urlOf(`user${user}`, 'test'), await urlOf(`user${user}`, 'main'))

for (const url of urls) await call(url, 'eth_chainId')

let unique = 0
const request = (method: string, params: string, id = 1) =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
const batch = (count: number, item: (id: number) => string) =>
  `[${Array.from({ length: count }, (_, id) => item(id)).join()}]`

const hex = (bytes: number) => `"0x${'ab'.repeat(bytes)}"`
/** A call whose answer has this size. */
const large = (mebibytes: number, id = 1) =>
  request('eth_call', `[{"to":"${sized(mebibytes, ++unique, 20)}"},"latest"]`, id)
const block = (mebibytes: number, id = 1) =>
  request('eth_getBlockByHash', `["${sized(mebibytes, ++unique, 32)}",true]`, id)
const logs = (mebibytes: number, id = 1) =>
  request('eth_getLogs', `[{"blockHash":"${sized(mebibytes, ++unique, 32)}"}]`, id)
/** Estimates whose data fills a body. The node holds them. */
const estimates = () =>
  batch(4, (id) =>
    request(
      'eth_estimateGas',
      `[{"to":"${sized(0, ++unique, 20)}","data":${hex(limits.bodyBytes / 8 - 40_000)}}]`,
      id,
    ),
  )
const accessLists = () =>
  request(
    'eth_estimateGas',
    `[{"to":"${sized(0, ++unique, 20)}","accessList":[{"address":${hex(20)},"storageKeys":[${Array(49_900).fill(hex(32)).join()}]}]}]`,
  )
const waiting = () => request('eth_estimateGas', `[{"to":"${sized(0, ++unique, 20)}","data":${hex(8_000)}}]`)

/** A kind of request, sent on connections of its own. */
interface Load {
  /** Connections of each user on each network. */
  readonly connections: number
  /** True when the callers stop reading after the first bytes. */
  readonly isSlow?: boolean
  readonly body: (at: number) => string
}

const loads: Readonly<Record<string, Load>> = {
  'large bodies of garbage': { connections: largeBodies, body: () => '['.repeat(limits.bodyBytes - 10) },
  'bodies of 50,000 values': {
    connections: largeBodies,
    body: () => request('eth_call', `[${Array(49_900).fill('[]').join()}]`).padEnd(limits.bodyBytes),
  },
  'large bodies whose calls wait for a node': { connections: largeBodies, body: estimates },
  'bodies of many values whose calls wait for a node': { connections: largeBodies, body: accessLists },
  'small bodies that wait in the queue': { connections: 160, body: waiting },
  'large answers that are not read': { connections: 8, isSlow: true, body: (at) => large(1 + (at % 7)) },
  'logs that are not read': { connections: 8, isSlow: true, body: (at) => logs(at % 2 === 0 ? 15 : 40) },
  'batches of 100 large blocks': { connections: 1, body: () => batch(100, (id) => block(0.125, id)) },
  'batches of logs that are not read': {
    connections: 4,
    isSlow: true,
    body: () => batch(20, (id) => logs(4, id)),
  },
}

/** The resident size of the service at its peak, in mebibytes. */
async function peak(): Promise<number> {
  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8')
  return Math.round((Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1_024) / mebibyte)
}

/** Sends loads at once, and calls of another user all the time. */
async function whileServed(t: Test, sent: readonly Load[]): Promise<void> {
  const [readers, others] = [new HeavyCallers(), new HeavyCallers()]
  const other = await newBystander()
  for (const node of [test, main]) node.hold()
  for (const { connections, isSlow, body } of sent)
    for (const url of urls)
      for (let at = 0; at < connections; at++)
        if (isSlow) others.askSlowly(url, body(at))
        else readers.ask(url, body(at))
  await other.hasAnswers(50)
  for (const node of [test, main]) node.release()
  await readers.areAnswered()
  await other.hasAnswers(50)
  others.leave()
  await other.leave()
  t.same(other.failures, [], 'another user is served')
  const { exitCode, signalCode } = service.process
  t.equal(exitCode ?? signalCode, null, 'the process lives')
  const statuses = [readers, others].map((callers) => JSON.stringify(callers.statuses))
  t.comment(`statuses ${statuses}, ${other.answered} of another user, peak ${await peak()} MiB`)
}

for (const [name, load] of Object.entries(loads))
  t.test(`${name} leave a small heap to others`, async (t) => {
    for (let round = 0; round < rounds; round++) await whileServed(t, [load])
  })

longTest('all of them at once leave a small heap to others', async (t) => {
  const some = Object.values(loads).map((load) => ({ ...load, connections: Math.ceil(load.connections / 4) }))
  for (let round = 0; round < rounds; round++) await whileServed(t, some)
})
