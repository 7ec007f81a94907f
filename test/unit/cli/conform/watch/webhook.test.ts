import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Webhook, webhookDefaults } from '../../../../../src/cli/conform/watch/webhook.js'
import { until } from '../../../../support/until.js'

/** A receiver of calls. @param answer by the number of the call, from 0 */
async function receiver(t: Test, answer: (call: number, response: ServerResponse) => void) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    answer(bodies.push(body) - 1, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const troubles: string[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0123456789abcdefXYZ`
  const onTrouble = (message: string) => troubles.push(message)
  return { bodies, troubles, webhook: new Webhook({ url, firstPauseMilliseconds: 1, onTrouble }) }
}

t.test('calls are repeated until they are accepted, in order', async (t) => {
  const { bodies, troubles, webhook } = await receiver(t, (call, response) => {
    if (call === 1) response.socket?.resetAndDestroy()
    else response.writeHead([503, 0, 429][call] ?? 204).end()
  })
  webhook.send('one')
  webhook.send('two')
  await until(() => webhook.counts.delivered === 2)
  t.same(bodies, ['one', 'one', 'one', 'one', 'two'])
  t.same(troubles, [])
})

t.test('a call is given up after some attempts, and at once if repeating does not help', async (t) => {
  const { bodies, troubles, webhook } = await receiver(t, (call, response) => {
    if (call < webhookDefaults.attempts) response.writeHead(500).end()
    else if (call === webhookDefaults.attempts) response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end()
  })
  for (const body of ['one', 'two', 'three']) webhook.send(body)
  await until(() => webhook.counts.delivered === 1)
  t.same(bodies, ['one', 'one', 'one', 'one', 'one', 'two', 'three'])
  t.same(webhook.counts, { delivered: 1, lost: 2 })
  t.same(troubles, [
    'a call of the webhook was given up: HTTP 500',
    'a call of the webhook was given up: HTTP 302',
  ])
})

t.test(
  'a receiver that is gone ends no call before its last attempt, and waiting calls are bounded',
  async (t) => {
    const troubles: string[] = []
    const webhook = new Webhook({
      url: 'http://127.0.0.1:9/services/T0123456789abcdefXYZ',
      firstPauseMilliseconds: 1_000_000,
      onTrouble: (message) => troubles.push(message),
    })
    for (let call = 0; call <= webhookDefaults.waiting; call++) webhook.send('{}')
    t.same(troubles, ['a call of the webhook was given up: 100 calls already wait'])
    await webhook.close()
    t.same(webhook.counts, { delivered: 0, lost: webhookDefaults.waiting + 1 })
    t.notMatch(troubles.join('\n'), /services|0123456789/)
  },
)
