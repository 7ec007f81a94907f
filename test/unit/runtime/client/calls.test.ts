import { inspect } from 'node:util'
import t from 'tap'
import { sendRequest } from '../../../../src/runtime/client/index.js'
import { type Answer, caught, clientOf, contract, json, serve } from './rpc-server.js'

const echo: Answer = ({ sent }, response) =>
  void response.end(JSON.stringify({ jsonrpc: '2.0', id: sent.id, result: sent }))

t.test('parameters are sent as the contract states', async (t) => {
  const { url, all } = await serve(t, echo)
  const client = clientOf(url)
  const rows: readonly [string, () => Promise<unknown>, unknown][] = [
    ['by position', () => client.add(1, 2, 3), [1, 2, 3]],
    ['the last one omitted', () => client.add(1, 2), [1, 2]],
    ['undefined at the end', () => client.add(1, 2, undefined), [1, 2]],
    ['none', () => client.add(), []],
    ['a default before a given one', () => client.add(undefined, 2), [1, 2]],
    ['null is sent', () => client.add(null, null), [null, null]],
    ['by name', () => client.named({ a: 1, b: 2 }), { a: 1, b: 2 }],
    ['by name, one undefined', () => client.named({ a: undefined, b: 2 }), { b: 2 }],
    ['by name, nothing', () => client.named(), {}],
    ['by name, no parameters', () => client.nothing(), {}],
    ['either: by position', () => client.either(1, 2), [1, 2]],
    ['either: by name when one is omitted', () => client.either(undefined, 2), { b: 2 }],
    ['options are not a parameter', () => client.add(1, 2, 3, { timeoutMilliseconds: 9_000 }), [1, 2, 3]],
    ['options after names', () => client.named({ a: 1 }, { timeoutMilliseconds: 9_000 }), { a: 1 }],
    ['options of a method without parameters', () => client.nothing({ timeoutMilliseconds: 9_000 }), {}],
    ['any method', () => sendRequest(client, 'other', { x: 1 }), { x: 1 }],
    ['any method, no parameters', () => sendRequest(client, 'toString'), []],
  ]
  for (const [name, send, want] of rows) t.match(await send(), { params: want }, name)
  t.same(
    all.map(({ sent }) => sent.id),
    rows.map((_, at) => at + 1),
    'ids are increasing integers',
  )
  t.same(all[0]?.sent, { jsonrpc: '2.0', id: 1, method: 'add', params: [1, 2, 3] })
})

t.test('a required parameter that is omitted is reported before sending', async (t) => {
  const { url, all } = await serve(t, echo)
  const message = 'add: "b" cannot be omitted because another parameter follows; pass a value'
  await t.rejects(clientOf(url).add(1, undefined, 3), { name: 'TypeError', message })
  await t.rejects(
    clientOf(url).batch((call) => [call.add(1, undefined, 3)]),
    { name: 'TypeError', message },
  )
  t.same(all, [])
})

t.test('a parameter that JSON cannot represent is reported with its method before sending', async (t) => {
  const { url, all } = await serve(t, echo)
  const client = clientOf(url)
  const loop: { self?: unknown } = {}
  loop.self = loop
  const rows: readonly [() => Promise<unknown>, RegExp][] = [
    [() => client.add(1, 5n), /^add: the parameter "b" cannot be encoded as JSON \(.*BigInt.*\)\. Convert/],
    [() => client.add({ value: [1, 5n] }), /^add: the parameter "a" .*BigInt/],
    [() => client.named({ b: { c: 5n } }), /^named: the parameter "b" .*BigInt/],
    [() => client.add(loop), /^add: the parameter "a" .*circular/],
    [() => client.batch((call) => [call.add(1), call.seen(5n)]), /^seen: the parameter "a" .*BigInt/],
    [() => sendRequest(client, 'other', [1, 5n]), /^other: the parameter "1" .*BigInt/],
    [() => sendRequest(client, 'other', { x: 5n }), /^other: the parameter "x" .*BigInt/],
    [() => client.add(Number.NaN), /^add: the parameter "a" cannot be encoded as JSON \(NaN\)/],
    [() => client.add({ limits: [1, Number.POSITIVE_INFINITY] }), /"a" .*\(Infinity at \/limits\/1/],
    [() => client.add(-1 / 0), /-Infinity/],
    [() => client.add([undefined]), /undefined at \/0/],
    [() => client.add(Array(2)), /undefined at \/0/],
    [() => client.add({ call: () => 1 }), /Function at \/call/],
    [() => client.add(Symbol.iterator), /Symbol/],
    [() => client.add(new Map([[1, 2]])), /Map/],
    [() => client.add({ bytes: new Uint8Array(2) }), /Uint8Array at \/bytes/],
    [() => client.add(Promise.resolve(1)), /\(Promise\)/],
    [() => client.add({ pattern: /a/, failure: 1 }), /RegExp at \/pattern/],
    [() => client.add([new Error('x')]), /Error at \/0/],
    [() => client.add(Object(Number.NaN)), /\(Number\)/],
    [() => client.named({ b: { c: Number.NaN } }), /^named: the parameter "b" .*NaN at \/c/],
    [() => client.batch((call) => [call.add(1), call.seen(Number.NaN)]), /^seen: the parameter "a" .*NaN/],
    [() => sendRequest(client, 'other', [1, undefined]), /^other: the parameter "1" .*\(undefined\)/],
  ]
  for (const [send, message] of rows) {
    const found = await caught(send())
    t.match(found, { name: 'TypeError', message })
  }
  t.same(all, [])
})

t.test('a parameter that JSON represents is sent as it is', async (t) => {
  const { url } = await serve(t, echo)
  const client = clientOf(url)
  const rows: readonly (readonly [unknown, unknown])[] = [
    [{ left: undefined, kept: null }, { kept: null }],
    [1e300, 1e300],
    [2 ** 60, 2 ** 60],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [{ toJSON: () => ({ a: 1 }) }, { a: 1 }],
    [
      new (class {
        a = 1
      })(),
      { a: 1 },
    ],
    [Object.create(null), {}],
  ]
  for (const [given, seen] of rows) t.match(await client.add(given), { params: [seen] })
})

t.test('every request is a POST of JSON with the given headers', async (t) => {
  const { url, origin, all } = await serve(t, echo)
  await clientOf(url, { headers: { 'X-Team': 'blue', 'Content-Type': 'text/plain' } }).add(1)
  await clientOf(`${origin.replace('//', '//us%C3%A9r:pa%3Ass@')}/rpc?a=b#c`).add(1)
  await clientOf(origin.replace('//', '//50%:x@')).add(1)
  const [first, second, third] = all.map(({ request }) => request)
  t.match(third?.headers, { authorization: `Basic ${Buffer.from('50%:x').toString('base64')}` }, 'unchanged')
  t.match(first, {
    method: 'POST',
    headers: { 'x-team': 'blue', 'content-type': 'application/json', accept: 'application/json' },
  })
  t.match(second, {
    url: '/rpc?a=b',
    headers: { authorization: `Basic ${Buffer.from('usér:pa:ss').toString('base64')}` },
  })
})

t.test('a custom fetch receives requests and responses, and is called as a function', async (t) => {
  const { url } = await serve(t, echo)
  const seen: unknown[] = []
  const client = clientOf(url, {
    async fetch(this: unknown, address: string, request: RequestInit) {
      const answer = await fetch(address, request)
      seen.push(this, answer.headers.get('content-length') !== null)
      return answer
    },
  })
  await client.add(1)
  t.same(seen, [undefined, true])
})

t.test('a notification has no id and resolves to undefined; an error object is thrown', async (t) => {
  const error = { jsonrpc: '2.0', id: null, error: { code: 7, message: 'no' } }
  const rows: readonly [string, Answer, object | undefined][] = [
    ['204', (_, response) => void response.writeHead(204).end(), undefined],
    ['200 and an empty body', (_, response) => void response.end(), undefined],
    ['202 and an empty body', (_, response) => void response.writeHead(202).end(' '), undefined],
    ['an error', json(error, 400), { error: 'refused', httpStatus: 400, method: 'seen' }],
    [
      'a page',
      (_, response) => void response.writeHead(502).end('<html>'),
      { kind: 'http', httpStatus: 502 },
    ],
    [
      'an empty body with an error status',
      (_, response) => void response.writeHead(503).end(),
      { kind: 'http' },
    ],
    ['a result', json({ jsonrpc: '2.0', id: 1, result: 1 }), { kind: 'malformed', method: 'seen' }],
  ]
  for (const [name, answer, want] of rows) {
    const { url, all } = await serve(t, answer)
    const sent = clientOf(url).seen(5)
    if (want) t.match(await caught(sent), want, name)
    else t.equal(await sent, undefined, name)
    t.same(all[0]?.sent, { jsonrpc: '2.0', method: 'seen', params: [5] }, name)
  }
})

t.test('invalid options are refused at creation, without showing secrets', async (t) => {
  const secret = 'sEcReTsEcReTsEcReT'
  const rows: readonly [string, () => unknown, object][] = [
    ['no URL', () => clientOf(secret), { name: 'TypeError', message: /invalid URL; use a complete URL/ }],
    ['a path', () => clientOf(`/${secret}`), { name: 'TypeError', message: /invalid URL/ }],
    [
      'not a web address',
      () => clientOf(`ftp://host/${secret}`),
      { name: 'TypeError', message: /invalid URL/ },
    ],
    [
      'a header',
      () => clientOf('http://h/', { headers: { 'x-key': `${secret}\n!` } }),
      { message: /the header "x-key"/ },
    ],
    [
      'no time',
      () => clientOf('http://h/', { timeoutMilliseconds: 0 }),
      { name: 'RangeError', message: /greater than 0/ },
    ],
    ['text', () => clientOf('http://h/', { timeoutMilliseconds: '5' }), { name: 'RangeError' }],
  ]
  for (const [name, make, want] of rows) {
    const error = await caught(Promise.resolve().then(make))
    t.match(error, want, name)
    t.notMatch(inspect(error), secret, name)
  }
  await t.rejects(sendRequest({}, 'add'), {
    name: 'TypeError',
    message: /the first argument must be a client created by createClient/,
  })
})

t.test('members of a client are own properties, which tests can replace and copy', async (t) => {
  const { url } = await serve(t, echo)
  const client = clientOf(url)
  t.same(Object.keys(client), [...Object.keys(contract.methods), 'batch', 'request', 'quota'])
  t.match(await sendRequest({ ...client }, 'any'), { method: 'any' }, 'a copy is a client')
  const spied = t.capture(client, 'add', async () => 'spied')
  t.equal(await client.add(1), 'spied')
  t.match(spied(), [{ args: [1] }])
})
