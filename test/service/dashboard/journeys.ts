import t from 'tap'
import { createKey, enter, logIn, openPage, password, send, signUp } from '../../support/dashboard.js'
import { post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { browser, origin } from './chainless-harness.js'

/** What users do over several pages while their own programs go on. */
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
/** Answers that show that a client goes on. */
const fewCalls = 20

/** Calls a URL without a pause, one call after the other, until it is stopped. */
function startTraffic(first: string) {
  let url = first
  let isStopped = false
  const answers: { readonly url: string; readonly status: number }[] = []
  const run = async () => {
    while (!isStopped) {
      const used = url
      answers.push({ url: used, status: (await post(used, chainId)).status })
    }
  }
  const running = run()
  return {
    answers,
    /** Waits for answers to calls that began later. */
    more: (count = answers.length) => until(() => answers.length > count + fewCalls),
    moveTo: (next: string) => {
      url = next
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

t.test('a key is rotated under traffic without a failed call', async (t) => {
  const { page, context } = await openPage(browser)
  const { id, url } = await enter(page, origin)
  const traffic = startTraffic(url)
  t.teardown(() => traffic.stop())
  await traffic.more()
  await page.goto(`${origin}/keys/${id}/settings`)
  await page.click('text=Rotate key')
  await page.check('text=works for another hour')
  t.equal(await send(page), 303)
  await page.waitForSelector('text=Key rotated')
  const renewed = (await page.textContent('[data-secret-text]')) ?? ''
  t.not(renewed, url)
  await traffic.more()
  traffic.moveTo(renewed)
  await traffic.more()
  await page.goto(`${origin}/keys/${id}/settings`)
  t.equal(await send(page, '[action$="/end-grace"] button'), 303)
  await traffic.more()
  await traffic.stop()
  t.same(
    traffic.answers.filter(({ status }) => status !== 200),
    [],
    `of ${traffic.answers.length} calls`,
  )
  t.ok(traffic.answers.some((answer) => answer.url === url))
  t.equal(traffic.answers.at(-1)?.url, renewed)
  t.equal((await post(url, chainId)).status, 401, 'the old URL has ended')
  await context.close()
})

t.test('a form of an ended session is not lost silently: after the log-in its page is back', async (t) => {
  const { page, context } = await openPage(browser)
  const email = await signUp(page, origin)
  const { id } = await createKey(page, origin)
  const settings = `${origin}/keys/${id}/settings`
  await page.goto(settings)
  const before = await page.inputValue('#name')
  await page.fill('#name', 'typed too late')
  const other = await openPage(browser)
  t.equal(await logIn(other.page, origin, email), 303)
  await other.page.goto(`${origin}/account`)
  await other.page.click('text=End all other sessions')
  await other.page.waitForSelector('[role=status]')
  t.equal(await send(page, '.save button'), 303)
  t.match(page.url(), `/login?next=${encodeURIComponent(`/keys/${id}/settings`)}`)
  t.match(await page.textContent('[role=status]'), 'the form was not sent')
  await page.fill('#email', email)
  await page.fill('#password', password)
  t.equal(await send(page), 303)
  t.equal(page.url(), settings)
  t.equal(await page.inputValue('#name'), before, 'nothing was saved')
  await page.fill('#name', 'typed again')
  t.equal(await send(page, '.save button'), 303)
  await page.waitForSelector('[role=status]:has-text("Saved.")')
  t.equal(await page.inputValue('#name'), 'typed again')
  await other.context.close()
  await context.close()
})
