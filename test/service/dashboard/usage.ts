import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { seedContractCall, seedFacts } from '../../support/development-chain.js'
import { call, post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { createVisitor, type Visitor } from '../../support/visitor.js'
import { limit, newcomer, origin, service } from './metered-harness.js'

/** Counted usage and its display, over HTTP, without scripts. */
/** A new key: the path of its pages, and its URL. */
async function newKey(visitor: Visitor, name = 'wallet') {
  const { location } = await visitor.post('/keys', { name, network: 'test' })
  const { html } = await visitor.get(location ?? '')
  return {
    path: location?.split('?')[0] ?? '',
    url: /data-secret-text="([^"]*)"/.exec(html)?.[1] ?? '',
  }
}

/** The text of an element. */
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The cells of a live table, by row. */
function rowsOf(html: string, table: string): readonly (readonly string[])[] {
  const body = new RegExp(`<tbody data-live="${table}"[^>]*>(.*?)</tbody>`, 's').exec(html)?.[1] ?? ''
  return [...body.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<(t[hd])\b[^>]*>(.*?)<\/\1>/gs)].map(([, , cell = '']) => wordsOf(cell)),
  )
}

/** The values of the summary, by name. */
const measuresOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<div><dt\b[^>]*>([^<]*)<\/dt><dd>(.*?)<\/dd><\/div>/g)].map(([, name, value = '']) => [
      name,
      wordsOf(value),
    ]),
  )

/** A page, once it shows this many requests. */
async function pageWith(visitor: Visitor, path: string, requests: number): Promise<string> {
  return until(async () => {
    const { html } = await visitor.get(path)
    return measuresOf(html).Received === String(requests) && html
  })
}

const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

/** 200 calls: 155 results and 45 client errors. */
async function sendMixedCalls(url: string): Promise<void> {
  const several = async (count: number, body: unknown) => {
    for (let n = 0; n < count; n += 1) await post(url, body)
  }
  const invalid = request('eth_getBalance', 'nonsense', 'latest')
  const unknown = request('eth_nothing')
  await several(100, request('eth_blockNumber'))
  await several(20, request('eth_chainId'))
  await several(15, invalid)
  await several(10, unknown)
  await several(
    10,
    request('eth_call', { to: seedFacts.contract, data: seedContractCall('failSilently') }, 'latest'),
  )
  await several(5, [...Array.from({ length: 7 }, () => request('eth_gasPrice')), invalid, unknown])
}

t.test('a daily limit that is spent or nearly spent is shown on every page', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  const spend = (count: number) =>
    post(
      url,
      Array.from({ length: count }, () => request('eth_chainId')),
    )
  const bannerOf = (html: string) =>
    wordsOf(/<aside class="banner[^>]*>(.*?)<\/aside>/s.exec(html)?.[1] ?? '')
  const pages = [
    '/keys',
    '/account',
    '/usage',
    '/status',
    path,
    `${path}/settings`,
    `${path}/metrics`,
    '/keys/new',
  ]
  const banners = async () =>
    new Set(await Promise.all(pages.map(async (page) => bannerOf((await ada.get(page)).html))))
  const first = Math.ceil((limit * limits.quotaWarningPercent) / 100)
  await spend(100)
  await spend(first - 101)
  t.same(await banners(), new Set(['']), 'one request below the share')
  await spend(1)
  t.same(await banners(), new Set(['80 % of today’s 220 requests are used. Usage']))
  await spend(limit - first)
  t.same(
    await banners(),
    new Set(['All 220 requests of today are used. Calls are refused until 00:00 UTC. Usage']),
  )
  t.equal((await post(url, request('eth_chainId'))).status, 429)
  t.equal(bannerOf((await createVisitor(origin).get('/status')).html), '', 'not for visitors')
})

t.test('after 200 mixed calls the pages show exactly these', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  const other = await newKey(ada, 'other')
  const startedAt = performance.now()
  await sendMixedCalls(url)
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000)
  const html = await pageWith(ada, `${path}/metrics`, 200)
  t.match(measuresOf(html), {
    'Success rate': '77.5 %',
    Results: '155',
    'Client errors': '45',
    'Limit exceeded': '0',
    'Server errors': '0',
    'Median latency': /^[\d.,]+ m?s 95th percentile [\d.,]+ m?s$/,
  })
  t.match(html, 'The success rate is the share of received requests with a result')
  t.match(html, /As of <time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  const methods = [
    ['eth_blockNumber', '100', '50 %', '100 %'],
    ['eth_gasPrice', '35', '17.5 %', '100 %'],
    ['eth_call', '10', '5 %', '0 %'],
    ['eth_chainId', '20', '10 %', '100 %'],
    ['eth_getBalance', '20', '10 %', '0 %'],
    ['Unknown method', '15', '7.5 %', '0 %'],
  ]
  const byName = (one: readonly unknown[], another: readonly unknown[]) =>
    String(one[0]).localeCompare(String(another[0]))
  t.same(
    rowsOf(html, 'methods')
      .map((row) => row.slice(0, 4))
      .toSorted(byName),
    methods.toSorted(byName),
  )
  t.same(rowsOf(html, 'errors'), [
    ['-32602', 'Invalid params', 'eth_getBalance', 'Client errors', '20', '10 %'],
    ['-32601', 'Method not found', 'Unknown method', 'Client errors', '15', '7.5 %'],
    ['3', 'execution reverted', 'eth_call', 'Client errors', '10', '5 %'],
  ])
  const sums = (rows: readonly (readonly string[])[], last: number) =>
    [1, 2, 3, 4, 5, last].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0))
  for (const [range, steps] of [
    ['hour', 60],
    ['day', 96],
    ['week', 56],
    ['month', 120],
  ] as const) {
    const shown = rowsOf((await ada.get(`${path}/metrics?range=${range}`)).html, 'calls-table')
    t.ok(shown.length <= minutes + 2, `${range}: the table begins with the first of the calls`)
    t.same(sums(shown, 6), [200, 155, 45, 0, 0, 200], range)
    const csv = (await ada.get(`${path}/metrics/steps.csv?range=${range}`)).html.trimEnd().split('\r\n')
    t.equal(csv.length - 1, steps, `${range} as CSV`)
    t.match(
      csv[0],
      'from,received,results,caller_errors,limit_refusals,service_failures,p50_ms,p95_ms,slowest_ms,node_calls,charged',
    )
    t.same(
      sums(
        csv.slice(1).map((line) => line.split(',')),
        10,
      ),
      [200, 155, 45, 0, 0, 200],
      `${range} as CSV`,
    )
  }
  const csv = await ada.get(`${path}/metrics/methods.csv`)
  t.equal(csv.headers.get('content-disposition'), 'attachment; filename="methods-hour.csv"')
  t.match(csv.html, /^eth_blockNumber,100,100,0,0,0,[\d.]+,[\d.]+,[\d.]+,\d+,100\r$/m)
  t.match(csv.html, /^,15,0,15,0,0,/m, 'requests without a valid method')
  t.equal(measuresOf((await ada.get(`${other.path}/metrics`)).html).Received, '0')
  t.match((await ada.get(`${other.path}/metrics`)).html, 'No calls in this period')

  await t.test('the usage page compares today with the limit, and shows refusals', async (t) => {
    const usageWith = (requests: string, refused: string) =>
      until(async () => {
        const { html } = await ada.get('/usage')
        return html.includes(requests) && measuresOf(html).Refused === refused && html
      })
    let shown = await usageWith('200 of 220 requests', '0')
    t.match(measuresOf(shown), {
      Left: '20',
      Refused: '0',
      'Resets at': /^\d{4}-\d\d-\d\d 00:00 UTC$/,
    })
    t.notMatch(shown, 'Last refused')
    const { json } = await post(
      other.url,
      Array.from({ length: 30 }, () => request('eth_chainId')),
    )
    t.equal(json.filter(({ error }: { error?: { code: number } }) => error?.code === -32005).length, 10)
    t.equal((await post(url, request('eth_chainId'))).status, 429)
    shown = await usageWith('220 of 220 requests', '11')
    t.match(measuresOf(shown), { Left: '0', 'Last refused': /UTC$/ })
    t.match(shown, 'The daily limit is reached')
    t.match(rowsOf(shown, 'keys'), [
      [/^wallet .{3}…/, '201', '200', '1', /^[1-9]\d*$/],
      [/^other .{3}…/, '30', '20', '10', '0'],
      [/^First key .{3}…/, '0', '0', '0', '0'],
      ['All keys', '231', '220', '11', /^[1-9]\d*$/],
    ])
    const today = new Date().toISOString().slice(0, 10)
    const days = rowsOf(shown, 'history')
    t.equal(days.length, 30)
    t.match(days[0], [today, '231', '220', '100 %', '11', /^[1-9]\d*$/])
    t.equal(rowsOf((await ada.get('/usage?days=90')).html, 'history').length, 90)
    const lines = (await ada.get('/usage/days.csv?days=90')).html.trimEnd().split('\r\n')
    t.equal(lines.length, 91)
    t.equal(lines[0], 'day,charged,refused,node_calls,received,answered,unanswered')
    t.match(lines.at(-1), new RegExp(`^${today},220,11,[1-9]\\d*,231,220,0$`))
    const metrics = await pageWith(ada, `${path}/metrics`, 201)
    t.match(measuresOf(metrics), { 'Limit exceeded': '1', 'Success rate': '77.1 %' })
  })
})

t.test('received, charged and answered requests are named and add up on every page', async (t) => {
  const ada = await newcomer()
  const [plain, listed, tokened] = [
    await newKey(ada),
    await newKey(ada, 'listed'),
    await newKey(ada, 'tokened'),
  ]
  await ada.post(`${listed.path}/settings`, { origins: 'https://app.example.com' })
  const jwtPublicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()
  const registered = { jwtPublicKey, jwtId: 'backend', jwtAlgorithm: 'ES256', jwtAudience: '' }
  t.equal(
    (await ada.post(`${tokened.path}/tokens`, registered, { from: `${tokened.path}/tokens` })).status,
    303,
  )
  const [good, invalid] = [request('eth_chainId'), request('eth_getBalance', 'nonsense', 'latest')]
  const send = async (url: string, status: number, ...bodies: readonly unknown[]) => {
    for (const body of bodies) t.equal((await post(url, body)).status, status, JSON.stringify(body))
  }
  await send(plain.url, 200, good, good, good, invalid, request('eth_nothing'), [good, invalid, good])
  await send(plain.url, 400, { jsonrpc: '1.0', id: 1 })
  const unreadable = await fetch(plain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  })
  t.equal(unreadable.status, 400)
  const refused = 2
  for (let n = 0; n < refused; n += 1) {
    const { status } = await fetch(plain.url, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: '{}',
    })
    t.equal(status, 415, 'refused free of charge')
  }
  const from = (origin: string) => post(listed.url, good, { origin })
  for (let n = 0; n < 2; n += 1) t.equal((await from('https://app.example.com')).status, 200)
  for (let n = 0; n < 3; n += 1) t.equal((await from('https://evil.example')).status, 403)
  await send(tokened.url, 401, good, good)
  await ada.post(`${plain.path}/rotate`, {}, { from: `${plain.path}/rotate` })
  await send(plain.url, 401, good, good)
  const renewed =
    /data-secret-text="(http[^"]*)"/.exec((await ada.get(`${plain.path}?show=url`)).html)?.[1] ?? ''
  const last = await post(renewed, good)
  const counted = limit - Number(/r=(\d+)/.exec(last.headers.get('ratelimit') ?? '')?.[1])
  const requests = { wallet: counted - 2, listed: 2, tokened: 0 }
  t.equal(counted, 13, 'answered requests, failed and unreadable ones included, and nothing that was refused')

  const keys = { wallet: plain, listed, tokened }
  for (const [name, { path }] of Object.entries(keys)) {
    const charged = String(requests[name as keyof typeof keys])
    const received = String(Number(charged) + (name === 'wallet' ? refused : 0))
    const metrics = await pageWith(ada, `${path}/metrics`, Number(received))
    t.equal(measuresOf(metrics).Charged, charged, `${name}: summary`)
    const steps = rowsOf(metrics, 'calls-table').reduce((sum, row) => sum + Number(row[1]), 0)
    t.equal(String(steps), received, `${name}: steps of the chart`)
    const methods = rowsOf(metrics, 'methods').reduce((sum, row) => sum + (Number(row[1]) || 0), 0)
    t.equal(String(methods), received, `${name}: methods`)
    const ofMethods = rowsOf(metrics, 'methods').reduce((sum, row) => sum + (Number(row[4]) || 0), 0)
    t.equal(String(ofMethods), charged, `${name}: methods, charged`)
    const csv = (await ada.get(`${path}/metrics/steps.csv`)).html.trimEnd().split('\r\n').slice(1)
    const ofCsv = (column: number) => csv.reduce((sum, line) => sum + Number(line.split(',')[column]), 0)
    t.same([ofCsv(1), ofCsv(10)].map(String), [received, charged], `${name}: CSV`)
    t.equal(measuresOf((await ada.get(`${path}/rotate`)).html)['Charged today'], charged, `${name}: rotation`)
    t.equal(measuresOf((await ada.get(`${path}/delete`)).html)['Charged today'], charged, `${name}: deletion`)
  }
  const rows = [...(await ada.get('/keys')).html.matchAll(/<tr role="row">(?:(?!<tr).)*<\/tr>/gs)].map(
    ([row]) => wordsOf(row),
  )
  for (const [name, number] of Object.entries(requests)) {
    const row = rows.find((words) => words.startsWith(name)) ?? ''
    t.match(
      row,
      new RegExp(` ${number}(?: [\\d.]+ %)? [\\d.]+ % of ${limit} `),
      `${name}: list of keys, today`,
    )
  }
  const usage = (await ada.get('/usage')).html
  t.match(usage, `${counted} of ${limit} requests charged`)
  const [received, answered, free] = [counted + refused, counted, refused].map(String)
  t.match(measuresOf(usage), {
    Left: String(limit - counted),
    Received: received,
    Answered: answered,
    Refused: free,
  })
  t.notMatch(usage, 'Charged without an answer')
  t.same(
    Object.fromEntries(rowsOf(usage, 'keys').map((row) => [row[0]?.split(' ')[0], row.slice(1, 4)])),
    {
      First: ['0', '0', '0'],
      wallet: [String(requests.wallet + refused), String(requests.wallet), free],
      listed: ['2', '2', '0'],
      tokened: ['0', '0', '0'],
      All: [received, answered, free],
    },
    'usage by key',
  )
  t.same(rowsOf(usage, 'history')[0]?.slice(1, 3), [received, answered])
  const day = (await ada.get('/usage/days.csv')).html.trimEnd().split('\r\n').at(-1)
  t.match(day, new RegExp(`,${counted},${refused},\\d+,${received},${answered},0$`), 'days as CSV')

  const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
  const operator = createVisitor(origin)
  await operator.post('/login', { email: 'demo@example.com', password: secret }, { from: '/login' })
  const { html: found } = await operator.get(`/admin?q=${plain.path.split('/')[2]}`)
  const account = /href="(\/admin\/users\/usr_\w+)"/.exec(found)?.[1] ?? ''
  t.match(wordsOf(found), new RegExp(` ${counted} \\d+ `), 'list of accounts')
  const shown = (await operator.get(account)).html
  t.match(shown, `${counted} of ${limit} requests charged`)
  t.match(shown, `30 days</dt><dd>${counted} requests charged`)

  const refusals = async (path: string) =>
    rowsOf((await ada.get(`${path}/failures`)).html, 'refusals').map((row) => row.slice(0, 2))
  t.same(await refusals(listed.path), [['by your list of origins', '3']])
  t.equal((await refusals(tokened.path))[0]?.[1], '2', 'without a token')
  t.equal((await refusals(plain.path))[0]?.[1], '2', 'with the old URL')
})

t.test('metrics and usage are shown only to their owner', async (t) => {
  const ada = await newcomer()
  const { path } = await newKey(ada)
  const [eve, nobody] = [await newcomer(), createVisitor(origin)]
  const ofKey = ['', '/steps.csv', '/methods.csv', '/events'].map((end) => `${path}/metrics${end}`)
  for (const each of ofKey) {
    const { status, html } = await eve.get(each)
    t.equal(status, 404, each)
    t.notMatch(html, 'wallet')
  }
  for (const each of [...ofKey.slice(0, 3), '/usage', '/usage/days.csv']) {
    const { status, location } = await nobody.get(each)
    t.same([status, location], [303, `/login?next=${encodeURIComponent(each)}`])
  }
  t.equal((await nobody.get(`${path}/metrics/events`)).status, 401)
  t.match(
    (await ada.get(`${path}/metrics?range=__proto__`)).html,
    'Calls per minute',
    'any other period means the hour',
  )
  t.equal((await ada.get('/usage?days=1000000')).status, 200)
})

/** Reads the events of a key's metrics. */
async function follow({ cookies }: Visitor, path: string) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(`${origin}${path}/metrics/events?range=hour`, { headers: { cookie } })
  const events = response.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let text = ''
  return {
    response,
    /** Reads until the text matches; undefined when the stream ends first. */
    async until(pattern: RegExp): Promise<RegExpExecArray | undefined> {
      for (;;) {
        const found = pattern.exec(text)
        if (found !== null) return found
        const next = await events?.next()
        if (next === undefined || next.done === true) return undefined
        text += next.value
      }
    },
  }
}
const never = /(?!)/

t.test('live numbers are sent as events, until the session or the key ends', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  const live = await follow(ada, path)
  t.equal(live.response.headers.get('content-type'), 'text/event-stream')
  t.equal(live.response.headers.get('cache-control'), 'no-store')
  t.ok(await live.until(/^event: content\ndata: .*<dt>Received<\/dt><dd>0</m))
  t.ok(await live.until(/^event: at\ndata: \d{4}-.*Z\n\n/m), 'without changes only the age is sent')
  await call(url, 'eth_chainId')
  t.ok(await live.until(/<dt>Received<\/dt><dd>1</))
  const { path: gone } = await newKey(ada, 'gone')
  const others = await Promise.all([follow(ada, path), follow(ada, path)])
  const ofGone = await follow(ada, gone)
  await ofGone.until(/^event/m)
  await ada.post('/logout', {})
  for (const each of [live, ofGone, ...others]) t.equal(await each.until(never), undefined)
})

t.test('the number of live pages per account is limited', async (t) => {
  const ada = await newcomer()
  const { path } = await newKey(ada)
  const open = []
  for (let n = 0; n < 8; n += 1) open.push(await follow(ada, path))
  t.same(
    open.map(({ response }) => response.status),
    open.map(() => 200),
  )
  const refused = await follow(ada, path)
  t.equal(refused.response.status, 429)
  await refused.until(never)
  for (const { response } of open) await response.body?.cancel().catch(() => undefined)
  await ada.post('/logout', {})
})

t.test('the status page is public, and contains no node names or addresses', async (t) => {
  const { status, html } = await createVisitor(origin).get('/status')
  t.equal(status, 200)
  t.match(wordsOf(html), /All systems are operational\./)
  for (const [table, { chainId }] of [
    ['network-31-nodes', service.networks.test],
    ['network-30-nodes', service.networks.main],
  ] as const) {
    t.match(html, chainId)
    const rows = rowsOf(html, table)
    t.match(rows, [['Node 1', 'in use', /^[\d,]+$/, /ms$/]])
    t.equal(rows.length, 1)
  }
  t.notMatch(html, /http:\/\/127/)
  t.notMatch(html, /(test|main)-1/)
})

t.test('shutdown ends live pages without waiting', async (t) => {
  const ada = await newcomer()
  const { path } = await newKey(ada)
  const live = await follow(ada, path)
  await live.until(/^event/m)
  const [code, end] = await Promise.all([service.stop(), live.until(never)])
  t.same([code, end], [0, undefined])
})
