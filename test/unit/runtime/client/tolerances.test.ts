import t from 'tap'
import { tolerances } from '../../../../src/runtime/client/index.js'
import { type Answer, caught, clientOf, json, serve } from './rpc-server.js'

const version = { jsonrpc: '2.0' }
const error = { code: 7, message: 'no' }

t.test('small deviations of other servers are accepted and counted, and refused with `strict`', async (t) => {
  const rows: readonly [string, object, object, object, RegExp][] = [
    ['no version', { id: 1, result: 5 }, { value: 5 }, { missingVersion: 1, nullError: 0 }, /"jsonrpc"/],
    [
      'a result beside `error: null`',
      { ...version, id: 1, result: 5, error: null },
      { value: 5 },
      { missingVersion: 0, nullError: 1 },
      /a result and an error/,
    ],
    [
      'both',
      { id: 1, result: null, error: null },
      { value: null },
      { missingVersion: 1, nullError: 1 },
      /"jsonrpc"/,
    ],
    [
      'an error without version',
      { id: 1, error },
      { reason: { error: 'refused', code: 7 } },
      { missingVersion: 1, nullError: 0 },
      /"jsonrpc"/,
    ],
  ]
  for (const [name, answer, want, counts, problem] of rows) {
    const { url } = await serve(t, ({ batch }, response) =>
      json(batch.length > 0 ? [answer] : answer)({ batch } as never, response),
    )
    for (const isBatch of [false, true]) {
      const send = async (client: ReturnType<typeof clientOf>) => {
        const [outcome] = isBatch
          ? await client.batch((call) => [call.add(1)])
          : await Promise.allSettled([client.add(1)])
        return outcome
      }
      const client = clientOf(url)
      t.same(tolerances(client), { missingVersion: 0, nullError: 0 })
      t.match(await send(client), want, name)
      t.same(tolerances({ ...client }), counts, `${name}: counted`)
      const strict = clientOf(url, { strict: true })
      t.match(await send(strict), { reason: { kind: 'malformed', message: problem } }, `${name}: strict`)
      t.same(tolerances(strict), { missingVersion: 0, nullError: 0 }, 'refused answers are not counted')
    }
  }
})

t.test('other deviations are always refused', async (t) => {
  const rows: readonly [string, object][] = [
    ['another version', { jsonrpc: '1.0', id: 1, result: 1 }],
    ['a null version', { jsonrpc: null, id: 1, result: 1 }],
    ['`error: null` without a result', { ...version, id: 1, error: null }],
    ['a result beside an error', { ...version, id: 1, result: null, error }],
    ['a result without id', { ...version, result: 1 }],
  ]
  for (const [name, answer] of rows) {
    const { url } = await serve(t, json(answer))
    const client = clientOf(url)
    t.match(await caught(client.add(1)), { kind: 'malformed' }, name)
    t.same(tolerances(client), { missingVersion: 0, nullError: 0 }, `${name} is not counted`)
  }
})

t.test('a result with an error status is no result, in a batch too', async (t) => {
  for (const status of [400, 429, 500, 502, 503, 504]) {
    const answer: Answer = ({ sent, batch }, response) => {
      const result = ({ id }: { readonly id?: number }) => ({ ...version, id, result: 1 })
      json(batch.length > 0 ? batch.map(result) : result(sent), status, { 'retry-after': '3' })(
        { sent, batch } as never,
        response,
      )
    }
    const { url } = await serve(t, answer)
    const want = { kind: 'http', httpStatus: status, retryAfterSeconds: 3, method: 'add' }
    t.match(await caught(clientOf(url).add(1)), want, `${status}`)
    const outcomes = await clientOf(url).batch((call) => [call.add(1), call.add(2)])
    t.match(outcomes, [{ reason: want }, { reason: want }], `${status}, batch`)
  }
})
