import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { call, post, runConcordat } from '../../support/service.js'
import { until } from '../../support/until.js'
import { createVisitor } from '../../support/visitor.js'
import { newcomer, origin, service, urlOf } from './http-harness.js'

/** Keys over HTTP, without scripts. */

/** The requests of today in the rows of the list. */
const requestsOf = (html: string) =>
  [...html.matchAll(/data-label="Charged today"><span class="share">([^<]*)</g)].map(([, text]) => text)

t.test('a new key’s URL is shown after its creation, and then hidden until requested', async (t) => {
  const ada = await newcomer()
  const made = await ada.post('/keys', {
    name: ' wallet ',
    network: 'main',
    description: 'of the\nshop',
    useCase: 'Payments',
    nodeService: 'JSON-RPC node API',
  })
  t.equal(made.status, 303)
  const shown = (await ada.get(made.location ?? '')).html
  const url = urlOf(shown)
  t.match(url, new RegExp(`^${origin}/[A-Za-z0-9]{30}-M$`))
  t.match(shown, `>${url}<`)
  t.equal(await call(url, 'eth_chainId'), '0x1e')
  const path = made.location?.split('?')[0] ?? ''
  t.notMatch((await ada.get(path)).html, `>${url}<`)
  t.match((await ada.get(`${path}?show=url`)).html, `>${url}<`)
  t.match((await ada.get('/keys')).html, /wallet.*of the shop.*Main network/s)
  t.notMatch((await ada.get('/keys')).html, url.slice(-32))
})

t.test('an invalid key is explained next to the field', async (t) => {
  const ada = await newcomer()
  const tries: readonly (readonly [field: string, fields: Record<string, string>])[] = [
    ['name', { name: '  ', network: 'test' }],
    ['name', { name: 'x'.repeat(limits.keyNameLength + 1), network: 'test' }],
    ['name', { name: 'a\u202eb', network: 'test' }],
    ['description', { name: 'a', network: 'test', description: 'x'.repeat(limits.keyDescriptionLength + 1) }],
    ['network', { name: 'a', network: 'moon' }],
    ['network', { name: 'a' }],
    ['useCase', { name: 'a', network: 'test', useCase: 'x'.repeat(limits.keyNameLength + 1) }],
  ]
  for (const [field, fields] of tries) {
    const { status, html } = await ada.post('/keys', fields)
    t.equal(status, 400, JSON.stringify(fields))
    t.match(html, `id="${field}-problem"`, JSON.stringify(fields))
  }
  t.match((await ada.get('/keys')).html, `1 of ${limits.keysPerUser} keys`)
})

t.test('the fifth key is refused with an explanation, also among ten concurrent ones', async (t) => {
  const ada = await newcomer()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      ada.post('/keys', { name: `key ${n}`, network: n % 2 ? 'test' : 'main' }),
    ),
  )
  const made = answers.filter(({ status }) => status === 303)
  t.equal(made.length, limits.keysPerUser - 1, 'and the first key')
  for (const { status, html } of answers.filter((answer) => !made.includes(answer))) {
    t.equal(status, 409)
    t.match(html, `You have ${limits.keysPerUser} keys, the maximum for an account`)
  }
  const { html } = await ada.get('/keys')
  t.equal([...html.matchAll(/<th role="rowheader"/g)].length, limits.keysPerUser)
  t.match(html, 'Delete one to create another')
  t.notMatch(html, 'href="/keys/new"')
  const opened = await ada.get('/keys/new')
  t.match(opened, { status: 303, location: '/keys' }, 'the form is not available')
  t.match((await ada.get('/keys')).html, `You have ${limits.keysPerUser} keys, the maximum`)
})

t.test('the list shows requests of today, the last use and changes by the operator', async (t) => {
  const ada = await newcomer()
  const made = await ada.post('/keys', { name: 'used', network: 'test' })
  const path = made.location?.split('?')[0] ?? ''
  t.match((await ada.get('/keys')).html, /data-label="Last used">never/)
  const url = urlOf((await ada.get(path)).html)
  for (let n = 0; n < 3; n += 1) await call(url, 'eth_chainId')
  await until(async () => {
    const { html } = await ada.get('/keys')
    return requestsOf(html).at(-1) === '3' && /data-label="Last used"><time/.test(html)
  })
  t.pass('written within the time of the test')
  const id = path.split('/').at(-1) ?? ''
  t.equal((await runConcordat(['keys', 'disable', id, '--data', service.data])).code, 0)
  t.match((await ada.get('/keys')).html, 'disabled')
  t.match((await ada.get(path)).html, 'Calls with it are refused')
  t.equal((await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status, 401)
})

t.test('the list shows calls and error rate of the last 24 hours, and the share of the limit', async (t) => {
  await awayFromMidnight()
  const ada = await newcomer()
  const made = await ada.post('/keys', { name: 'measured', network: 'test' })
  const path = made.location?.split('?')[0] ?? ''
  const idle = (await ada.get('/keys')).html
  t.match(idle, /data-label="Last 24 hours">no calls<.*data-label="Error rate">–</s)
  t.equal((await ada.post(`${path}/settings`, { dailyLimit: '8' })).status, 303)
  const url = urlOf((await ada.get(path)).html)
  for (let n = 0; n < 3; n += 1) await call(url, 'eth_chainId')
  await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['nonsense', 'latest'] })
  const html = await until(async () => {
    const { html } = await ada.get('/keys')
    return requestsOf(html).at(-1) === '4' && html
  })
  t.match(html, 'aria-label="Calls by hour in the last 24 hours: 4 calls, ')
  t.match(html, `<a href="${path}/failures?kind=failed">25 %</a>`)
  t.match(html, /<meter aria-label="Charged requests of measured today" min="0" max="8" value="4">/)
  t.match(html, '50 % of 8')
  t.match(html, `data-copy-from="${path}"`)
})

t.test('refused calls are no requests on any page, and keys of one name are told apart', async (t) => {
  await awayFromMidnight()
  const ada = await newcomer()
  const keys = []
  for (const limit of ['2', '']) {
    const made = await ada.post('/keys', { name: 'of one name', network: 'test' })
    const path = made.location?.split('?')[0] ?? ''
    const { html } = await ada.get(path)
    const [, masked = ''] = /<code>([^<]*…[^<]*)<\/code> <span class="badge">/.exec(html) ?? []
    t.equal((await ada.post(`${path}/settings`, { dailyLimit: limit })).status, 303)
    keys.push({ url: urlOf(html), masked })
  }
  t.equal(new Set(keys.map(({ masked }) => masked)).size, 2)
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  const statuses = []
  for (let n = 0; n < 5; n += 1) statuses.push((await post(keys[0]?.url ?? '', body)).status)
  t.same(statuses, [200, 200, 429, 429, 429])
  await until(async () => requestsOf((await ada.get('/keys')).html).includes('2'))
  const usage = await until(async () => {
    const { html } = await ada.get('/usage')
    return /<code>[^<]*<\/code><\/th><td[^>]*>5<\/td><td[^>]*>2<\/td><td[^>]*>3<\/td>/.test(html) && html
  })
  for (const { masked } of keys) t.match(usage, `<code>${masked}</code>`)
})

t.test('an unknown path returns the 404 page to browsers, and the RPC error to other clients', async (t) => {
  const visitor = createVisitor(origin)
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of [
    '/nothing',
    '/docs/',
    '/a/b/c',
    '/v2/nothing',
    '/json-rpc',
    '/index.html?x=1',
    '/keys/none/x',
  ]) {
    const { status, html, headers, location } = await visitor.get(path, { accept })
    if (path.startsWith('/keys')) {
      t.ok(status === 404 || location?.startsWith('/login'), path)
      continue
    }
    t.equal(status, 404, path)
    t.match(html, 'This page does not exist', path)
    t.match(headers.get('content-type'), 'text/html', path)
    t.match(headers.get('content-security-policy'), "default-src 'none'", path)
    const plain = await visitor.get(path)
    t.ok([401, 405].includes(plain.status), `${path}: ${plain.status}`)
    t.match(plain.headers.get('content-type'), 'application/json', path)
  }
  const key = await visitor.get(new URL(service.networks.test.url).pathname, { accept })
  t.equal(key.status, 405, 'the path of a key')
  t.equal((await post(`${origin}/nothing`, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' })).status, 401)
  t.equal((await visitor.get('/keys', { accept })).status, 303, 'a page of the dashboard')
  t.equal((await visitor.get('/docs', { accept })).status, 200)
})
