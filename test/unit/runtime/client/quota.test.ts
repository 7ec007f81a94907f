import t from 'tap'
import type { Quota } from '../../../../src/runtime/client/index.js'
import { echo, readClient } from './reads.js'
import { type Answer, serve } from './rpc-server.js'

/** Answers with these headers in turn; the last ones repeat. */
function stating(all: readonly Readonly<Record<string, string>>[]): Answer {
  const left = [...all]
  return (came, response) => {
    const headers = left.length > 1 ? left.shift() : left[0]
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
    echo()(came, response)
  }
}

const state = (remaining: number, reset = 3_600) => ({
  RateLimit: `"daily";r=${remaining};t=${reset}`,
  'RateLimit-Policy': '"daily";q=100;w=86400',
})

t.test('the quota is what the latest answer states', async (t) => {
  const rows: readonly [string, Readonly<Record<string, string>>, object | undefined][] = [
    ['nothing', {}, undefined],
    ['limit, rest and reset', state(93), { limit: 100, remaining: 93 }],
    ['no policy', { RateLimit: '"daily";r=5;t=10' }, { limit: undefined, remaining: 5 }],
    ['no reset', { RateLimit: 'daily; r=5' }, { remaining: 5, resetSeconds: undefined }],
    ['something else', { RateLimit: 'limit=100, remaining=5' }, undefined],
  ]
  for (const [name, headers, want] of rows) {
    const { url } = await serve(t, stating([headers]))
    const client = readClient(url)
    t.equal(client.quota, undefined, 'before the first answer')
    await client.logs(1)
    if (want) t.match(client.quota, want, name)
    else t.equal(client.quota, undefined, name)
  }
  const { url } = await serve(t, stating([state(93, 50), {}]))
  const client = readClient(url)
  await client.logs(1)
  const { resetSeconds = 0 } = client.quota ?? {}
  t.ok(resetSeconds > 0 && resetSeconds <= 50, 'the time to the reset passes')
  t.ok(Number.isInteger(resetSeconds), 'in whole seconds')
  await client.logs(1)
  t.match(client.quota, { remaining: 93 }, 'an answer without the headers changes nothing')
})

t.test('the event fires once for each crossing, and again after the reset', async (t) => {
  const rows: readonly [string, readonly object[], number | undefined, readonly number[]][] = [
    ['above', [state(11), state(10)], undefined, []],
    ['below', [state(10), state(9), state(8)], undefined, [9]],
    ['below at first', [state(1), state(0)], undefined, [1]],
    ['a new window', [state(9), state(99), state(9), state(8)], undefined, [9, 9]],
    ['a new window that starts below', [state(9, 0), state(8, 0)], undefined, [9, 8]],
    ['another threshold', [state(60), state(49), state(48)], 0.5, [49]],
    ['no limit stated', [{ RateLimit: '"daily";r=0;t=5' }], undefined, []],
  ]
  for (const [name, headers, quotaThreshold, want] of rows) {
    const { url } = await serve(t, stating(headers as Readonly<Record<string, string>>[]))
    const fired: Quota[] = []
    const client = readClient(url, { onQuota: (quota: Quota) => void fired.push(quota), quotaThreshold })
    for (const _ of headers) await client.logs(1)
    t.same(
      fired.map(({ remaining }) => remaining),
      want,
      name,
    )
  }
})

t.test('an answer to an earlier request does not rearm the event', async (t) => {
  const held: (() => void)[] = []
  let rest: readonly Readonly<Record<string, string>>[] = [state(9), state(12), state(8), state(7)]
  const { url, server } = await serve(t, (came, response) => {
    const [headers = {}, ...others] = rest
    rest = others
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    held.push(() => echo()(came, response))
    server.emit('held')
  })
  const fired: number[] = []
  const client = readClient(url, { onQuota: ({ remaining }: Quota) => void fired.push(remaining) })
  const arrived = async (count: number) => {
    while (held.length < count) await new Promise((resolve) => server.once('held', resolve))
  }
  const first = client.logs(1)
  await arrived(1)
  const second = client.logs(2)
  await arrived(2)
  held[0]?.()
  await first
  held[1]?.()
  await second
  const third = client.logs(3)
  await arrived(3)
  held[2]?.()
  await third
  t.same(fired, [9])
})
