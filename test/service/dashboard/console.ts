import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { SignJWT } from 'jose'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { checkInViewports, enter, postForm, send } from '../../support/dashboard.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { everyNth } from '../../support/runs.js'
import { call, post } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { userShell } from '../../support/user-shell.js'
import { password } from '../../support/visitor.js'
import { browser, origin } from './chain-harness.js'
import { choose, openConsole, sendCall, shownAnswer } from './console-page.js'

/** The console of a key in a browser: every call that it sends is in the contract. */

interface Example {
  readonly name: string
  readonly 'x-network'?: string
  readonly params: readonly { readonly value: unknown }[]
}
const contract = JSON.parse(readFileSync(new URL('../../../openrpc.json', import.meta.url), 'utf8')) as {
  readonly methods: readonly {
    readonly name: string
    readonly errors: readonly { readonly $ref: string }[]
    readonly examples: readonly Example[]
  }[]
  readonly components: { readonly errors: Readonly<Record<string, { readonly code: number }>> }
}
const codesOf = (errors: readonly { readonly $ref: string }[]) =>
  errors.map(({ $ref }) => contract.components.errors[$ref.split('/').at(-1) ?? '']?.code)

/** A key of the user whose keys no test changes. */
let shared: { readonly id: string; readonly url: string } | undefined
let storageState: BrowserContextOptions['storageState']

/** Opens the console of the shared key. */
async function openShared(t: Parameters<typeof openConsole>[0]) {
  const opened = await openConsole(t, browser, origin, {
    ...(storageState && { storageState }),
    make: async (page) => shared ?? enter(page, origin),
  })
  shared = { id: opened.id, url: opened.url }
  storageState ??= await opened.context.storageState()
  return opened
}

t.test('from sign-up to a first answer, with the keyboard only', async (t) => {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  const { keyboard } = page
  await page.goto(`${origin}/signup`)
  await page.focus('#email')
  await keyboard.type('keys-alone@example.com')
  await keyboard.press('Tab')
  await keyboard.type(password)
  await keyboard.press('Enter')
  await page.waitForURL('**/keys/key_*')
  await tabTo(page, 'Send')
  await keyboard.press('Enter')
  await page.waitForSelector('[data-answer=parts]:not([hidden])')
  const { what, body } = await shownAnswer(page)
  t.equal(what, 'Result')
  t.match(JSON.parse(body).result, /^0x/)
  const url = (await page.textContent('[data-secret-text]')) ?? ''
  t.equal(await call(url, 'eth_chainId'), '0x1f', 'the shown URL works')
})

/** Presses Tab until the focused element has this text. */
async function tabTo(page: Page, words: string) {
  const focused = page.locator(':focus')
  do await page.keyboard.press('Tab')
  while ((await focused.count()) === 0 || (await focused.textContent())?.trim() !== words)
}

/** The members of an object, or the type of a value, because values depend on the network. */
const shapeOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).sort() : typeof value

t.test('every method sends the first example of the contract, and shows the answer', async (t) => {
  const { page, complaints, url } = await openShared(t)
  const offered = await page.locator('#method option').evaluateAll((all) => all.map((one) => one.textContent))
  t.same(
    offered.map((text) => text?.split(' ')[0]).sort(),
    contract.methods.map(({ name }) => name).sort(),
    'the whole contract',
  )
  t.same(
    offered.filter((text) => text?.includes('writes')),
    ['eth_sendRawTransaction – writes'],
  )
  for (const { name, errors, examples } of contract.methods) {
    await choose(page, name)
    t.equal(
      await page.isVisible('text=This method changes the chain.'),
      name === 'eth_sendRawTransaction',
      name,
    )
    const { sent, what, details, body, headers } = await sendCall(page)
    const shapes = examples[0]?.params.map(({ value }) => shapeOf(value))
    t.match(sent, { jsonrpc: '2.0', id: 1, method: name }, name)
    t.same(sent.params.map(shapeOf), shapes, name)
    const { result, error } = JSON.parse(body)
    t.equal(what, error === undefined ? 'Result' : `Error ${error.code}`, name)
    t.ok(
      error === undefined ? result !== undefined : codesOf(errors).includes(error.code),
      `${name}: ${body}`,
    )
    const findsNothing = [null, '0x'].includes(result) || (Array.isArray(result) && result.length === 0)
    t.equal(findsNothing, name === 'eth_accounts', `${name} finds an existing object on the embedded chain`)
    t.match(details, /^HTTP 200 · \d+ ms · \d[\d,]* bytes$/, name)
    t.match(headers.get('ratelimit'), /^"daily";r=\d+;t=\d+$/, name)
  }
  t.same(complaints, [], 'no violation of the page’s policy')
  t.notMatch(page.url(), url.split('/').at(-1) ?? '', 'no key in the history')
})

t.test('each example can be selected and has a description', async (t) => {
  const { page, complaints } = await openShared(t)
  await choose(page, 'eth_getLogs')
  const links = page.locator('[data-pick]')
  const examples = contract.methods.find(({ name }) => name === 'eth_getLogs')?.examples ?? []
  t.equal(await links.count(), examples.length)
  // The first one is already shown, so it is selected last.
  for (const [place, { params }] of [...examples.entries()].reverse()) {
    await links.nth(place).focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      (nth) => document.querySelectorAll('[data-pick]')[nth]?.getAttribute('aria-current') === 'true',
      place,
    )
    t.ok(await links.nth(place).evaluate((link) => link === document.activeElement), 'the focus stays')
    const { sent } = await sendCall(page)
    t.same(
      sent.params.map(shapeOf),
      params.map(({ value }) => shapeOf(value)),
    )
  }
  t.match(await page.textContent('.picks'), 'error -32602')
  await page.reload()
  t.equal(await page.inputValue('#method'), 'eth_getLogs', 'the choice survives a reload')
  t.same(complaints, [])
})

t.test('refused parameters are shown with the error data, and invalid JSON is not sent', async (t) => {
  const { page } = await openShared(t)
  await choose(page, 'eth_getBalance')
  t.match(await page.textContent('label[for=param-blockSelector]'), 'optional: latest')
  await page.fill('#param-address', '0x12')
  const { what, body, sent } = await sendCall(page)
  t.same(sent.params, ['0x12', 'latest'])
  t.equal(what, 'Error -32602')
  t.match(JSON.parse(body).error.data, [{ path: '/0', rule: 'pattern' }])
  await page.fill('#param-address', '')
  t.same((await sendCall(page)).sent.params, [null, 'latest'], 'an empty field before another one is null')
  await page.fill('#param-blockSelector', ' ')
  t.same((await sendCall(page)).sent.params, [], 'an empty field at the end is omitted')

  await choose(page, 'eth_call')
  t.match(await page.textContent('.members'), 'The called address.')
  let posts = 0
  page.on('request', (request) => {
    if (request.method() === 'POST') posts += 1
  })
  await page.fill('#param-call', '{"to":')
  await page.click('.call button[type=submit]')
  await page.waitForSelector('#param-call-problem:not([hidden])')
  t.match(await page.textContent('#param-call-problem'), 'Invalid JSON')
  t.equal(await page.getAttribute('#param-call', 'aria-invalid'), 'true')
  t.ok(await page.locator('#param-call').evaluate((field) => field === document.activeElement))
  t.equal(posts, 0)
  await page.fill('#param-call', '{"gas":"0x1"}')
  t.match((await sendCall(page)).what, 'Error -32602')
  t.notOk(await page.isVisible('#param-call-problem'))
  t.equal(await page.getAttribute('#param-call', 'aria-invalid'), null)
})

t.test('the curl line sends the same request, whatever was typed', async (t) => {
  const { page, url } = await openShared(t)
  await choose(page, 'web3_sha3')
  await page.fill('#param-data', `it's $HOME "0x`)
  const { body } = await sendCall(page)
  const line = () => page.textContent('[data-answer=curl] code')
  t.notMatch(await line(), url)
  await page.click('text=Reveal')
  t.match(await line(), url)
  const { output } = await userShell(await temporaryFolder(t)).run((await line()) ?? '')
  t.same(JSON.parse(output), JSON.parse(body))
  await page.fill('#param-data', '0x')
  await sendCall(page)
  t.match(await line(), url, 'the next key is not hidden either')
})

t.test('methods off a key’s list are marked, and refused with the service’s message', async (t) => {
  const { page, id } = await openConsole(t, browser, origin)
  const allowed = { methodChoice: 'chosen', 'method-eth_chainId': 'on' }
  await postForm(page, origin, `/keys/${id}/settings`, allowed)
  await page.reload()
  t.match(await page.textContent('#method'), 'eth_blockNumber – not allowed for this key')
  t.notMatch(await page.textContent('#method'), 'eth_chainId – not')
  t.ok(await page.isVisible('text=This key’s method list does not allow this method'))
  const { what, body } = await sendCall(page)
  t.match(what, /^Error -/)
  t.ok(JSON.parse(body).error.message)
  await choose(page, 'eth_chainId')
  t.equal((await sendCall(page)).what, 'Result')
  await postForm(page, origin, `/keys/${id}/disable`)
  const refused = await sendCall(page)
  t.match(refused.details, /^HTTP 401 /)
  t.match(refused.body, '"error"')
})

t.test('a key that requires a token can be called with one', async (t) => {
  const { page, id } = await openConsole(t, browser, origin)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwtPublicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await postForm(page, origin, `/keys/${id}/tokens`, { jwtPublicKey, jwtId: 'backend' })
  await page.reload()
  t.match((await sendCall(page)).details, /^HTTP 401 /)
  await page.fill('#token', 'no token ’')
  await page.click('.call button[type=submit]')
  await page.waitForSelector('text=Invalid token')
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  await page.fill('#token', token)
  t.equal((await sendCall(page)).what, 'Result')
  t.notOk(await page.isVisible('text=Invalid token'))
  t.match(await page.textContent('[data-answer=curl] code'), 'authorization: Bearer $TOKEN')
})

t.test('a list that refuses calls of the page is named with the entry to add', async (t) => {
  const { page, id } = await openConsole(t, browser, origin)
  await postForm(page, origin, `/keys/${id}/settings`, {
    origins: 'https://app.example',
    addresses: '192.0.2.1',
  })
  await page.reload()
  const [origins, addresses] = await page.locator('#console .caution').allTextContents()
  t.match(
    origins,
    `list of origins refuses calls from this page with status 403. To allow them, add ${origin}.`,
  )
  t.match(addresses, /list of client addresses refuses .* add 127\.0\.0\.1\./)
  t.match((await sendCall(page)).details, /^HTTP 403 /)
  await page.click('#console .caution a')
  await page.waitForURL('**/settings#allow-origins')
  await postForm(page, origin, `/keys/${id}/settings`, {
    origins: `https://app.example\n${origin}`,
    addresses: '192.0.2.1 127.0.0.1',
  })
  await page.goto(`${origin}/keys/${id}`)
  t.equal(await page.locator('#console .caution').count(), 0)
  t.equal((await sendCall(page)).what, 'Result')
})

t.test('an exhausted limit is shown with its error', async (t) => {
  await awayFromMidnight()
  const { page, id } = await openConsole(t, browser, origin)
  await postForm(page, origin, `/keys/${id}/settings`, { dailyLimit: '2' })
  t.equal((await sendCall(page)).what, 'Result')
  t.equal((await sendCall(page)).what, 'Result')
  const { what, details, body, headers } = await sendCall(page)
  const { error } = JSON.parse(body)
  t.equal(what, `Error ${error.code}`)
  t.equal(error.code, contract.components.errors['limitExceeded']?.code)
  t.match(details, /^HTTP 429 /)
  t.match(error.data, { limit: 2 })
  t.match(headers.get('ratelimit'), 'r=0')
})

t.test('a missing answer is reported', async (t) => {
  const { page } = await openShared(t)
  await page.route('**/*', (route) => route.abort())
  await page.click('.call button[type=submit]')
  await page.waitForSelector('text=The service is not reachable')
  t.equal(await page.textContent('[data-answer=what]'), 'No answer')
  t.notOk(await page.isVisible('[data-answer=body]'))
})

t.test('only the latest choice and the latest call are shown', async (t) => {
  const { page, url } = await openShared(t)
  const held: (() => void)[] = []
  await page.route('**/keys/*?*method=eth_call*', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  await page.selectOption('#method', 'eth_call')
  await choose(page, 'eth_chainId')
  for (const release of held) release()
  await page.waitForResponse((response) => response.url().includes('method=eth_call'))
  t.ok(await page.isVisible('[data-method=eth_chainId]'))

  let calls = 0
  await page.route(url, async (route) => {
    calls += 1
    if (calls === 1) return
    await route.continue()
  })
  await page.click('.call button[type=submit]')
  await page.waitForSelector('text=Waiting for the answer…')
  t.equal((await sendCall(page)).what, 'Result')
})

t.test('an expired session is reported', async (t) => {
  const { page, context } = await openShared(t)
  await context.clearCookies()
  await page.selectOption('#method', 'eth_call')
  await page.waitForURL('**/login?next=*')
  t.match(decodeURIComponent(page.url()), 'method=eth_call')
})

t.test('the page is accessible', async (t) => {
  const { page } = await openShared(t)
  for (const method of ['eth_sendRawTransaction', 'eth_call', 'eth_getBlockByNumber']) {
    await choose(page, method)
    if (method === 'eth_getBlockByNumber') await page.fill('#param-blockSelector', 'latest')
    await sendCall(page)
    for (const details of await page.locator('details summary').all()) await details.click()
    await checkInViewports(t, page, method)
  }
  for (const id of everyNth(3, ['fetch', 'viem', 'python'])) {
    await page.click(`label[for=example-${id}]`)
    await checkInViewports(t, page, id)
  }
})

t.test('everything works without scripts', async (t) => {
  const { page, id, url } = await openConsole(t, browser, origin, { javaScriptEnabled: false })
  await page.selectOption('#method', 'eth_getBlockByNumber')
  await page.click('text=Choose')
  await page.click('[data-pick] >> text=Other tags are refused')
  t.equal(await page.inputValue('#param-blockSelector'), 'finalized')
  t.equal(await send(page, '.call button[type=submit]'), 200)
  t.equal(new URL(page.url()).hash, '#console')
  const refused = await shownAnswer(page)
  t.equal(refused.what, 'Error -32602')
  t.match(refused.details, /^HTTP 200 · \d+ ms · \d+ bytes$/)
  t.same(
    JSON.parse(refused.body),
    (await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['finalized', false] }))
      .json,
  )
  t.match(refused.headers.get('ratelimit'), /^"daily";r=24999;/, 'it was counted')
  t.match(await page.textContent('[data-answer=curl] code'), /…\S* \\\n.*'\{"jsonrpc"/s)
  await page.fill('#param-blockSelector', 'latest')
  await page.selectOption('#param-fullTransactions', 'true')
  await send(page, '.call button[type=submit]')
  t.ok(JSON.parse((await shownAnswer(page)).body).result.hash)
  t.equal(await page.inputValue('#param-fullTransactions'), 'true', 'typed text is kept')
  t.same(await page.inputValue('#method'), 'eth_getBlockByNumber')

  await page.goto(`${origin}/keys/${id}?method=eth_call&show=url`)
  await page.fill('#param-call', '{')
  t.equal(await send(page, '.call button[type=submit]'), 400)
  t.match(await page.textContent('#param-call-problem'), 'Invalid JSON')
  t.notOk(await page.isVisible('[data-answer=body]'))
  await page.fill('#param-call', '{"to":"0x0000000000000000000000000000000000000000"}')
  t.equal(await send(page, '.call button[type=submit]'), 200)
  t.match(await page.textContent('[data-answer=curl] code'), url, 'a revealed key stays visible')
  await page.goto(`${origin}/keys/${id}/call`)
  t.equal(new URL(page.url()).pathname, `/keys/${id}`, 'a typed address leads back')
})
