import { once } from 'node:events'
import { createConnection } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import { ContractError, parseContract } from '../../../../src/toolkit/contract/index.js'
import { createMock } from '../../../../src/toolkit/mock/index.js'
import { until } from '../../../support/until.js'
import { document } from '../../runtime/client/web-socket-server.js'

const withExample = {
  ...document,
  methods: document.methods.map((method) =>
    method.name === 'math.add'
      ? {
          ...method,
          examples: [
            {
              name: 'one and two',
              params: [
                { name: 'a', value: 1 },
                { name: 'b', value: 2 },
              ],
              result: { name: 'sum', value: 3 },
            },
          ],
        }
      : method,
  ),
}

/** A mock on a free port with a WebSocket, and the messages that it receives. */
async function connected(t: Test, seed: string, path = '') {
  const contract = parseContract(JSON.stringify(withExample))
  const methods = await loadMethods(contract)
  const reports: unknown[] = []
  const onError = (report: unknown) => reports.push(report)
  const mock = createMock({ contract, methods, seed, notifyMilliseconds: 1, onError })
  const running = await mock.listen({ port: 0 })
  t.teardown(() => running.close())
  const socket = new WebSocket(`${running.url.replace('http', 'ws')}${path}`)
  const received: { readonly id?: unknown; readonly method?: string; readonly params?: unknown }[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const send = (message: unknown) => socket.send(JSON.stringify(message))
  return { running, socket, received, reports, send }
}

const call = (id: number, method: string, params: unknown) => ({ jsonrpc: '2.0', id, method, params })

t.test('a POST that offers HTTP/2 is answered as HTTP, again and again on one connection', async (t) => {
  const { running } = await connected(t, 'seed')
  const { hostname, port } = new URL(running.url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  t.teardown(() => socket.destroy())
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  const post = (id: number, more: readonly string[]) => {
    const body = JSON.stringify(call(id, 'math.add', [1, 2]))
    const head = [
      'POST / HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n${body}`)
  }
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB']
  for (const [at, more] of [[], h2c, [], h2c, h2c].entries()) {
    post(at, more)
    await until(() => received.includes(`"id":${at},"result":3`))
  }
  t.equal(received.match(/HTTP\/1.1 200 OK/g)?.length, 5)
})

t.test('calls, batches and notifications over a WebSocket, on any path', async (t) => {
  for (const path of ['', 'v2/some-key']) {
    const { send, received, reports } = await connected(t, 'seed', path)
    send(call(1, 'math.add', [1, 2]))
    await until(() => received.length === 1)
    send({ jsonrpc: '2.0', method: 'close', params: [1] })
    send([call(2, 'math.add', [1, 2]), call(3, 'math.add', ['x', 2]), call(4, 'missing', [])])
    await until(() => received.length === 2)
    const result = { jsonrpc: '2.0', id: 1, result: 3 }
    t.match(received, [
      result,
      [
        { ...result, id: 2 },
        { id: 3, error: { code: -32602 } },
        { id: 4, error: { code: -32601 } },
      ],
    ])
    t.same(reports, [])
  }
})

t.test('a subscription sends the same generated items for the same seed, until it ends', async (t) => {
  const itemsOf = async (seed: string, to: number) => {
    const { send, received, socket } = await connected(t, seed)
    send(call(1, 'count', { to }))
    await until(() => received.length > 5)
    const [{ result: id } = {}, ...notifications] = received as readonly {
      readonly result?: string
      readonly params?: unknown
    }[]
    const items = notifications.map(({ params }) => params as readonly unknown[])
    t.ok(items.every(([subscription, item]) => subscription === id && Number.isInteger(item)))
    send(call(2, 'stopCounting', [id]))
    await until(() => received.some((message) => message.id === 2))
    t.match(received.at(-1), { id: 2, result: true }, 'nothing follows the answer')
    socket.close()
    return items.slice(0, 5).map(([, item]) => item)
  }
  const items = await itemsOf('seed', 3)
  t.equal(items.length, 5)
  t.same(await itemsOf('seed', 3), items)
  t.notSame(await itemsOf('another', 3), items)
  t.notSame(await itemsOf('seed', 4), items)
})

t.test('stopping the mock closes connections with subscriptions', async (t) => {
  const { running, send, received, socket, reports } = await connected(t, 'seed')
  send(call(1, 'watch', ['a']))
  await until(() => received.length > 2)
  const closed = once(socket, 'close')
  await running.close()
  t.equal((await closed)[0], 1001)
  t.same(reports, [])
})

t.test('a subscription without its methods is a mistake of the contract', async (t) => {
  const contract = parseContract(
    JSON.stringify({
      ...document,
      methods: document.methods.filter(({ name }) => name !== 'unwatch'),
    }),
  )
  const methods = await loadMethods(contract)
  const create = () => createMock({ contract, methods, seed: '', onError: () => undefined })
  t.throws(create, ContractError)
  t.throws(create, { message: /x-subscription of "watch" must name two methods/ })
})
