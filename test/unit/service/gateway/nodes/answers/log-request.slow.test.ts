import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { limits } from '../../../../../../generated/contract.js'
import { tuningDefaults as tuning } from '../../../../../../src/service/gateway/app/config/tuning.js'
import type { LogText } from '../../../../../../src/service/gateway/nodes/index.js'
import { createUpstream } from '../../../../../../src/service/gateway/nodes/index.js'
import type { PoolSettings } from '../../../../../../src/service/gateway/nodes/pool/pool-settings.js'
import { logText } from '../../../../../support/log-node.js'
import { logsOf, unlimited } from '../../../../../support/logs.js'
import { type NodeServerRequest, startNodeServer } from '../../../../../support/node-server.js'
import { until } from '../../../../../support/until.js'

/** Nodes with every kind of invalid eth_getLogs answer, in front of a correct one. */
const good = [logText(7, 0), logText(7, 1), logText(8, 0)]
const filter = { fromBlock: '0x7', toBlock: '0x8' }

type Answer = (response: ServerResponse, id: number) => void

const isForLogs = ({ calls }: NodeServerRequest) => calls[0]?.method === 'eth_getLogs'

/** Two nodes; the first one is asked first. */
async function nodes(
  t: Test,
  first: Answer,
  second: Answer = whole,
  timeoutMs = 60_000,
  own: Partial<PoolSettings> = {},
) {
  const answering = (answer: Answer) =>
    startNodeServer({
      fault(request, response) {
        if (isForLogs(request)) answer(response, request.calls[0]?.id ?? 0)
        return isForLogs(request)
      },
    })
  const one = await answering(first)
  const two = await answering(second)
  const settings = [one.settings(), two.settings({ weight: 0 })]
  const upstream = createUpstream({ nodes: settings, timeoutMs, chainId: '0x1f', settings: own, tuning })
  t.teardown(async () => {
    await upstream.close()
    await Promise.all([one.close(), two.close()])
  })
  await upstream.ready()
  const asked = () => [one, two].map(({ requests }) => requests.filter(isForLogs).length)
  return { upstream, asked }
}

const send = (response: ServerResponse, body: string, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body)

const whole: Answer = (response, id) =>
  send(response, `{"jsonrpc":"2.0","id":${id},"result":[${good.join(',')}]}`)

t.test('after an invalid answer the logs come from another node, complete and once', async (t) => {
  const logs = good.join(',')
  const broken: readonly [why: string, answer: Answer][] = [
    ['a wrong id before the logs', (response, id) => send(response, `{"id":${id + 1},"result":[${logs}]}`)],
    ['no id', (response) => send(response, `{"result":[${logs}]}`)],
    ['the id "null"', (response) => send(response, `{"id":"null","result":[${logs}]}`)],
    ['a wrong id after the logs', (response, id) => send(response, `{"result":[${logs}],"id":${id + 1}}`)],
    ['no result', (response, id) => send(response, `{"id":${id}}`)],
    [
      'a result that is no list',
      (response, id) => send(response, `{"id":${id},"result":{"logs":[${logs}]}}`),
    ],
    ['null', (response, id) => send(response, `{"id":${id},"result":null}`)],
    ['a log that is none', (response, id) => send(response, `{"id":${id},"result":[${logs},{"a":1}]}`)],
    ['numbers', (response, id) => send(response, `{"id":${id},"result":[${logs},5]}`)],
    ['two lists', (response, id) => send(response, `{"id":${id},"result":[${logs}],"result":[${logs}]}`)],
    ['half an answer', (response, id) => send(response, `{"id":${id},"result":[${logs}`)],
    [
      'a log of another block',
      (response, id) => send(response, `{"id":${id},"result":[${logs},${logText(9, 0)}]}`),
    ],
    ['503 with logs', (response, id) => send(response, `{"id":${id},"result":[${logs}]}`, 503)],
    ['a page', (response) => send(response, '<html>')],
    ['a flood that is no list', (response) => send(response, `{"x":"${'y'.repeat(2_000_000)}"}`)],
    [
      'a connection that ends after some logs',
      (response, id) => {
        response.writeHead(200).write(`{"id":${id},"result":[${good[0]},`)
        setImmediate(() => response.destroy())
      },
    ],
  ]
  for (const [why, answer] of broken) {
    const { upstream, asked } = await nodes(t, answer)
    const logs = await logsOf(upstream.call, filter)
    t.strictSame(logs, JSON.parse(`[${good.join(',')}]`), why)
    t.strictSame(asked(), [1, 1], why)
  }
})

t.test('two invalid answers fail the call', async (t) => {
  const rubbish: Answer = (response) => send(response, '[]')
  const { upstream } = await nodes(t, rubbish, rubbish)
  await t.rejects(logsOf(upstream.call, filter), { code: -32603, httpStatus: 502 })
})

t.test('a single block whose parameters one node refuses comes from another one', async (t) => {
  const picky: Answer = (response, id) =>
    send(response, `{"id":${id},"error":{"code":-32602,"message":"picky"}}`)
  const block = { fromBlock: '0x7', toBlock: '0x7' }
  const two: Answer = (response, id) => send(response, `{"id":${id},"result":[${good[0]},${good[1]}]}`)
  const { upstream, asked } = await nodes(t, picky, two)
  t.strictSame(await logsOf(upstream.call, block), JSON.parse(`[${good[0]},${good[1]}]`))
  t.strictSame(asked(), [1, 1])
})

t.test('an error next to logs is an error: the logs are dropped, and another node is asked', async (t) => {
  const both: Answer = (response, id) =>
    send(response, `{"id":${id},"result":[${good[0]}],"error":{"code":-32000,"message":"half-way"}}`)
  const { upstream, asked } = await nodes(t, both)
  t.strictSame(await logsOf(upstream.call, filter), JSON.parse(`[${good.join(',')}]`))
  t.strictSame(asked(), [1, 1])
  const failing = await nodes(t, both, both)
  await t.rejects(logsOf(failing.upstream.call, filter), { code: -32603 })
  t.strictSame(failing.asked(), [1, 1])
})

t.test('logs may arrive in any chunks and any order of members', async (t) => {
  const piecemeal: Answer = async (response, id) => {
    response.writeHead(200)
    const text = `{ "result" : [ ${good.join(' ,\n')} ] , "jsonrpc": "2.0", "id": ${id} }`
    for (let at = 0; at < text.length; at += 97) {
      response.write(text.slice(at, at + 97))
      await new Promise(setImmediate)
    }
    response.end()
  }
  const { upstream, asked } = await nodes(t, piecemeal)
  t.strictSame(await logsOf(upstream.call, filter), JSON.parse(`[${good.join(',')}]`))
  t.strictSame(asked(), [1, 0])
})

t.test('backpressure does not count as slowness of a node, and silence does', async (t) => {
  const timeoutMs = 2_000
  let sendRest = () => {}
  const inTwoParts: Answer = (response, id) => {
    response.writeHead(200).write(`{"id":${id},"result":[${good[0]}`)
    sendRest = () => response.end(`,${good[1]}]}`)
  }
  const { upstream, asked } = await nodes(t, inTwoParts, inTwoParts, timeoutMs)
  const taken: LogText[] = []
  const { result } = await upstream.call('eth_getLogs', [filter], {
    logs: {
      take(logs) {
        for (const log of logs) taken.push(log)
        sendRest()
        return new Promise((resolve) => setTimeout(resolve, timeoutMs * 1.5))
      },
      restart: () => false,
    },
  })
  t.strictSame(result, [])
  t.equal(taken.length, 2)
  t.equal((asked()[0] as number) + (asked()[1] as number), 1)

  const silent: Answer = (response, id) => response.writeHead(200).write(`{"id":${id},"result":[${good[0]}`)
  const others = await nodes(t, silent, silent, timeoutMs)
  await t.rejects(logsOf(others.upstream.call, filter), { code: -32002, httpStatus: 504 })
})

/** A node whose answers have so many logs, one after the other. */
async function readersOf(t: Test, counts: readonly number[]) {
  const left = [...counts]
  const { upstream } = await nodes(t, (response, id) =>
    send(response, `{"jsonrpc":"2.0","id":${id},"result":[${Array(left.shift()).fill(good[0]).join(',')}]}`),
  )
  const callers = (user: string) => ({ userIds: [user], queued: 0, calls: 0, countNodeCall: () => undefined })
  /** Reads the next answer for a user: how many logs were taken, and how often the reading waited for its turn. */
  const read = async (user: string, onLogs = () => {}) => {
    const seen = { taken: 0, pauses: 0 }
    await upstream.call('eth_getLogs', [filter], {
      callers: callers(user),
      logs: {
        take(logs) {
          seen.taken += logs.length
          onLogs()
          return 'more'
        },
        restart: () => false,
        pausedFor(turn) {
          seen.pauses++
          return turn
        },
      },
    })
    return seen
  }
  const serve = () => upstream.call('eth_gasPrice', [], { callers: callers('other') })
  return { read, serve }
}

t.test('a large answer waits for its turns while other users are served, and arrives whole', async (t) => {
  const { read, serve } = await readersOf(t, [4_000])
  let isRead = false
  const others = async () => {
    while (!isRead) await serve()
  }
  const reading = read('user').finally(() => {
    isRead = true
  })
  const [seen] = await Promise.all([reading, others()])
  t.equal(seen.taken, 4_000)
  t.ok(seen.pauses > 0)
})

t.test('an answer up to 64 KiB waits for no turn while a large one of another user does', async (t) => {
  const few = Math.floor(60_000 / (good[0] ?? '').length)
  const { read } = await readersOf(t, [4_000, few])
  let small: ReturnType<typeof read> | undefined
  const large = await read('user', () => {
    small ??= read('other')
  })
  t.ok(large.pauses > 0)
  t.match(await small, { taken: few, pauses: 0 })
})

t.test('logs that were already passed on are not requested again', async (t) => {
  const cut: Answer = (response, id) => {
    response.writeHead(200).write(`{"id":${id},"result":[${good[0]},`)
    setImmediate(() => response.destroy())
  }
  const { upstream, asked } = await nodes(t, cut)
  const streaming = logsOf(upstream.call, filter, undefined, { ...unlimited, hold: () => false })
  await t.rejects(streaming, { code: -32002 })
  t.strictSame(asked(), [1, 0])
})

t.test('the rest of an answer is not read when enough logs were found', async (t) => {
  let isCut = false
  const endless: Answer = (response, id) => {
    response.writeHead(200).write(`{"id":${id},"result":[${good[0]}`)
    response.on('close', () => {
      isCut = true
    })
    const more = () => {
      if (!response.destroyed && response.write(`,${good[0]}`.repeat(100))) setImmediate(more)
      else response.once('drain', more)
    }
    more()
  }
  const { upstream } = await nodes(t, endless)
  const { result } = await upstream.call('eth_getLogs', [filter], {
    logs: { take: () => 'enough', restart: () => true },
  })
  t.strictSame(result, [])
  await until(() => isCut)
  t.ok(isCut)
})

t.test('an endless log is an invalid answer', async (t) => {
  const endless: Answer = (response, id) => {
    response.writeHead(200).write(`{"id":${id},"result":[{"data":"0x`)
    const more = () => {
      while (!response.destroyed && response.write('00'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  }
  const { upstream, asked } = await nodes(t, endless, whole)
  t.strictSame(await logsOf(upstream.call, filter), JSON.parse(`[${good.join(',')}]`))
  t.strictSame(asked(), [1, 1])
})

t.test('an answer with up to 64 KiB besides its logs is accepted, and a longer one is invalid', async (t) => {
  for (const [bytes, calls] of [
    [60_000, [1, 0]],
    [70_000, [1, 1]],
  ] as const) {
    const note = 'x'.repeat(bytes)
    const { upstream, asked } = await nodes(t, (response, id) =>
      send(response, `{"id":${id},"note":"${note}","result":[${good.join(',')}]}`),
    )
    t.strictSame(await logsOf(upstream.call, filter), JSON.parse(`[${good.join(',')}]`))
    t.strictSame(asked(), calls, `${bytes} bytes`)
  }
})

t.test('a log of the largest size is accepted, and a larger one is an invalid answer', async (t) => {
  const [first = ''] = good
  const sizedLog = (bytes: number) =>
    first.replace(/"data":"0x/, (begin) => begin.padEnd(begin.length + bytes - first.length, '0'))
  for (const [bytes, calls] of [
    [limits.logBytes, [1, 0]],
    // The piece in which a log ends is read whole.
    [limits.logBytes + 262_144, [1, 1]],
  ] as const) {
    const { upstream, asked } = await nodes(t, (response, id) =>
      send(response, `{"id":${id},"result":[${sizedLog(bytes)}]}`),
    )
    const options = { logs: { take: () => 'more' as const, restart: () => true } }
    await upstream.call('eth_getLogs', [filter], options)
    t.strictSame(asked(), calls)
  }
})

t.test('logs are accepted only when they answer the call', async (t) => {
  for (const id of ['1234567', 'null', '"null"']) {
    const before: Answer = (response) => send(response, `{"id":${id},"result":[${good[0]}]}`)
    const after: Answer = (response) => send(response, `{"result":[${good[0]}],"id":${id}}`)
    for (const answer of [before, after]) {
      const { upstream, asked } = await nodes(t, answer)
      await upstream.call('eth_getLogs', [filter], { logs: { take: () => 'enough', restart: () => true } })
      t.strictSame(asked(), [1, 1])
    }
  }
  const own: Answer = (response, id) => send(response, `{"result":[${good[0]}],"id":${id}}`)
  const { upstream, asked } = await nodes(t, own)
  await upstream.call('eth_getLogs', [filter], { logs: { take: () => 'enough', restart: () => true } })
  t.strictSame(asked(), [1, 0])
})
