import type { Page } from 'playwright-core'
import t from 'tap'
import { createKey, signUp } from '../../support/dashboard.js'
import { freePort } from '../../support/free-port.js'
import { call, startService } from '../../support/service.js'
import { browser, node, origin } from './chainless-harness.js'
import { openConsole, sendCall, shownAnswer } from './console-page.js'

/** The console of services with unusual nodes or hosts. */

/** Only the browser resolves hosts whose names end with `localhost`. */
async function asPerson(page: Page, at: string) {
  await signUp(page, at)
  return createKey(page, at)
}

t.test('networks with their own hosts are called there', async (t) => {
  const port = await freePort()
  const own = (name: string) => `http://${name}.localhost:${port}`
  const split = await startService({
    args: ['--port', String(port)],
    isChainless: true,
    env: {
      CONCORDAT_PUBLIC_URL_TEST: own('test'),
      CONCORDAT_PUBLIC_URL_MAIN: own('main'),
      CONCORDAT_PUBLIC_URL_DASHBOARD: own('dashboard'),
    },
  })
  t.teardown(() => split.stop())
  const { page, complaints, url } = await openConsole(t, browser, own('dashboard'), { make: asPerson })
  t.match(url, own('test'))
  const asked = page.waitForRequest((request) => request.url() === url)
  const { what, headers } = await sendCall(page)
  t.equal(what, 'Result')
  t.match(headers.get('ratelimit'), 'daily', 'headers that pages may read')
  t.ok(await asked)
  t.same(complaints, [])
})

t.test('a long answer is truncated, with and without scripts', async (t) => {
  node.logs.set(5, 3_000)
  for (const javaScriptEnabled of [true, false]) {
    const { page, id, url } = await openConsole(t, browser, origin, { javaScriptEnabled })
    await page.goto(`${origin}/keys/${id}?method=eth_getLogs`)
    await page.fill('#param-filter', '{"fromBlock":"0x5","toBlock":"0x5"}')
    await page.click('.call button[type=submit]')
    await page.waitForSelector('[data-answer=parts]:not([hidden])')
    const { details, body, what } = await shownAnswer(page)
    t.match(details, / · the first 262,144 bytes$/)
    t.match(body, /^\{"jsonrpc":"2\.0","id":1,"result":\[/)
    t.equal(what, 'Answer')
    t.equal(await call(url, 'eth_chainId'), '0x1f', 'the service still works')
  }
})
