import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { seedContractCall, seedFacts } from '../../support/development-chain.js'
import { post } from '../../support/service.js'
import { findTool } from '../../support/tools.js'
import type { Visitor } from '../../support/visitor.js'
import { newcomer } from './metered-harness.js'

/** The log of failures, over HTTP, without scripts. */

const run = promisify(execFile)

async function newKey(visitor: Visitor) {
  const { location } = await visitor.post('/keys', { name: 'wallet', network: 'test' })
  const { html } = await visitor.get(location ?? '')
  const path = location?.split('?')[0] ?? ''
  return { path, url: /data-secret-text="([^"]*)"/.exec(html)?.[1] ?? '' }
}

const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
const decodeHtml = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
const wordsOf = (html: string) =>
  decodeHtml(
    html
      .replace(/<\/?span\b[^>]*>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  ).trim()

/** The rows of a table, each with the words of its cells and its first link. */
function rowsOf(html: string, table: string) {
  const body = new RegExp(`<tbody data-live="${table}"[^>]*>(.*?)</tbody>`, 's').exec(html)?.[1] ?? ''
  return [...body.matchAll(/<tr\b[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => ({
    cells: [...row.matchAll(/<(t[hd])\b[^>]*>(.*?)<\/\1>/gs)].map(([, , cell = '']) => wordsOf(cell)),
    link: decodeHtml(/href="([^"]*)"/.exec(row)?.[1] ?? ''),
  }))
}

t.test('failures are grouped by cause, with what helps, and a body without a method has none', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  for (const body of [{ jsonrpc: '2.0', id: 1 }, Array(limits.batchItems + 1).fill(request('eth_chainId'))])
    await post(url, body)
  for (let n = 0; n < 2; n += 1) await post(url, request('eth_newFilter'))
  await post(url, request('eth_getBalance', 'nonsense', 'latest'))
  const causes = rowsOf((await ada.get(`${path}/failures`)).html, 'causes')
  const found = causes.map(({ cells, link }) => [cells[0]?.split(':')[0], ...cells.slice(1, 4), link])
  const filter = `${path}/failures?method=`
  t.same(found[0], ['Method not found', 'Unknown method', 'All methods', '2', `${filter}unknown&code=-32601`])
  t.same(found.slice(1).sort(), [
    [
      'Invalid params',
      'eth_getBalance',
      'Reference of eth_getBalance',
      '1',
      `${filter}eth_getBalance&code=-32602`,
    ],
    ...Array(2).fill([
      'Invalid request',
      'No method',
      'Failures in the reference',
      '1',
      `${filter}unknown&code=-32600`,
    ]),
  ])
  t.match(
    wordsOf((await ada.get(`${path}/failures`)).html),
    `The batch has ${limits.batchItems + 1} requests: the limit is`,
  )
  t.match(
    rowsOf((await ada.get(`${path}/metrics`)).html, 'methods').map(({ cells }) => cells[0]),
    ['Unknown or no method', 'eth_getBalance'],
  )
})

t.test('from a success rate to one failed request, and the same call again', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  const reverting = [{ to: seedFacts.contract, data: seedContractCall('failSilently') }, 'latest']
  await post(url, request('eth_blockNumber'))
  const invalid = await post(url, request('eth_getBalance', "it's <b>nonsense</b>", 'latest'))
  await post(url, [request('eth_call', ...reverting), request('eth_newFilter'), request('eth_chainId')])
  const requestId = invalid.headers.get('x-request-id')
  t.type(requestId, 'string')

  const metrics = (await ada.get(`${path}/metrics`)).html
  const rate = decodeHtml(/<dt>Success rate<\/dt><dd><a href="([^"]*)">40 %<\/a>/.exec(metrics)?.[1] ?? '')
  t.equal(rate, `${path}/failures?kind=failed`)
  const list = await ada.get(rate)
  t.same(
    rowsOf(list.html, 'failures')
      .map(({ cells }) => cells.slice(1, 4))
      .sort(),
    [
      ['Unknown method', '-32601', 'the method eth_newFilter does not exist/is not available'],
      ['eth_call', '3', 'execution reverted'],
      ['eth_getBalance', '-32602', `Invalid params: ${/Invalid params: ([^"]*)/.exec(invalid.text)?.[1]}`],
    ].sort(),
  )
  t.match(wordsOf(list.html), '3 failures happened in this time')
  const byCode = rowsOf(metrics, 'errors').find(({ cells }) => cells[2] === 'eth_getBalance')
  t.equal(byCode?.link, `${path}/failures?method=eth_getBalance&code=-32602`)
  const [entry, ...others] = rowsOf((await ada.get(byCode?.link ?? '')).html, 'failures')
  t.same(others, [])
  const { html } = await ada.get(entry?.link ?? '')
  const words = wordsOf(html)
  t.match(words, `Request id ${requestId}`)
  t.match(words, `"it's <b>nonsense</b>", "latest"`)
  t.notMatch(html, '<b>nonsense')

  await t.test('its curl command and its link to the console send the same parameters', async (t) => {
    await findTool('curl')
    const curl = decodeHtml(/data-secret-text="(curl[^"]*)"/.exec(html)?.[1] ?? '')
    const { stdout } = await run('sh', ['-c', curl])
    t.match(JSON.parse(stdout), { error: { code: -32602 } })
    const link = decodeHtml(/<a class="button" href="([^"]*)"/.exec(html)?.[1] ?? '')
    const inConsole = wordsOf((await ada.get(link)).html)
    t.match((await ada.get(link)).html, `value="it's &lt;b>nonsense&lt;/b>"`)
    t.match(inConsole, 'eth_getBalance')
    const revert = rowsOf((await ada.get(`${path}/failures?code=3`)).html, 'failures')[0]
    const called = decodeHtml(
      /<a class="button" href="([^"]*)"/.exec((await ada.get(revert?.link ?? '')).html)?.[1] ?? '',
    )
    t.match((await ada.get(called)).html, seedFacts.contract)
  })

  await t.test('the download has all entries, and filters apply to it', async (t) => {
    const all = await ada.get(`${path}/failures.json`)
    t.equal(all.headers.get('content-disposition'), 'attachment; filename="failures.json"')
    t.equal(JSON.parse(all.html).length, 4)
    t.match(JSON.parse((await ada.get(`${path}/failures.json?method=eth_call`)).html), [
      {
        kind: 'failed',
        method: 'eth_call',
        code: 3,
        params: JSON.stringify(reverting),
        paramsArePart: false,
      },
    ])
  })

  await t.test('a step of the chart leads to its failures', async (t) => {
    const step = rowsOf(metrics, 'calls-table').find(({ cells }) => Number(cells[1]) > 0)
    t.match(step?.link, /^\/keys\/\w+\/failures\?from=[^&]+Z&to=[^&]+Z$/)
    t.ok(rowsOf((await ada.get(step?.link ?? '')).html, 'failures').length > 0)
    t.match(
      wordsOf((await ada.get(`${path}/failures?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00Z`)).html),
      'No failures',
    )
  })

  await t.test('it is the log of its owner alone, and ends with the key', async (t) => {
    const eve = await newcomer()
    for (const own of [`${path}/failures`, `${path}/failures.json`, entry?.link ?? ''])
      t.equal((await eve.get(own)).status, 404, own)
    const other = await newKey(ada)
    t.equal((await ada.get((entry?.link ?? '').replace(path, other.path))).status, 404)
    t.match(wordsOf((await ada.get(`${other.path}/failures`)).html), 'No failures')
    for (const odd of ['?code=x', '?from=yesterday', '?after=nothing', '?kind=odd', '?code=1&code=2'])
      t.equal((await ada.get(`${path}/failures${odd}`)).status, 200, odd)
    t.equal((await ada.get(`${path}/failures/%00`)).status, 404)
  })
})

t.test('requests that the lists of a key refuse are counted, and are no calls', async (t) => {
  const ada = await newcomer()
  const { path, url } = await newKey(ada)
  await ada.post(`${path}/settings`, { origins: 'https://app.example.com' })
  const ask = (origin?: string) => post(url, request('eth_nonsense'), origin === undefined ? {} : { origin })
  for (let n = 0; n < 5; n += 1) t.equal((await ask('https://evil.example')).status, 403)
  await ask('https://app.example.com')
  for (const page of [`${path}/failures`, `${path}/metrics`]) {
    const { html } = await ada.get(page)
    const [row, ...others] = rowsOf(html, 'refusals')
    t.match(row?.cells, ['by your list of origins', '5', /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/], page)
    t.same(others, [])
  }
  const { html } = await ada.get(`${path}/metrics`)
  t.match(wordsOf(html), 'Received 1 Charged 1 Success rate 0 %')
  const refused = rowsOf((await ada.get(`${path}/failures?kind=refused&method=origins`)).html, 'failures')
  t.same(refused.length, 5)
  const one = wordsOf((await ada.get(refused[0]?.link ?? '')).html)
  t.match(one, 'Refused by your list of origins')
  t.notMatch(one, 'Send it again')
})
