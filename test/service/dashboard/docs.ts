import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { promisify } from 'node:util'
import t from 'tap'
import {
  axeProblems,
  createKey,
  maxPageBytes,
  openPage,
  postForm,
  send,
  signUp,
} from '../../support/dashboard.js'
import { awayFromMidnight } from '../../support/midnight.js'
import { chosen, everyNth, isLong } from '../../support/runs.js'
import { call, post } from '../../support/service.js'
import { findTool } from '../../support/tools.js'
import { password } from '../../support/visitor.js'
import { browser, service } from './chainless-harness.js'

/** The reference that the service sends. */
const url = `${service.origin}/docs`
const generated = await readFile(new URL('../../../generated/reference.html', import.meta.url), 'utf8')
/** The page as the service sends it, for comparison in other tests. */
const file = Buffer.from(await (await fetch(url)).arrayBuffer())

/** A request with its raw headers and body. */
function ask(method: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
      sent.on('error', reject).end()
    },
  )
}

t.test('GET /docs returns the reference as a page of the service', async (t) => {
  const { status, headers } = await ask('GET')
  t.equal(status, 200)
  t.match(headers, { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' })
  const policy = headers['content-security-policy'] ?? ''
  t.match(policy, /default-src 'none'/)
  t.match(policy, /frame-ancestors 'none'/)
  t.notMatch(policy, /unsafe/)
  t.equal(headers.ratelimit, undefined)
  const packed = await ask('GET', { 'accept-encoding': 'gzip, deflate, br' })
  t.ok(packed.body.length < 60_000, `${packed.body.length} bytes compressed`)
  const codingOf = async (accepted: string) =>
    (await ask('GET', { 'accept-encoding': accepted })).headers['content-encoding']
  t.equal(await codingOf('gzip, deflate, br'), 'br')
  t.equal(await codingOf('br;q=0, gzip'), 'gzip')
  t.equal(await codingOf('identity'), undefined)
})

t.test('a first visit over plain HTTP transfers less than 80 kB', async (t) => {
  const { context, page } = await openPage(browser)
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => sizes.push(request.sizes().then((each) => each.responseBodySize)))
  await page.goto(url, { waitUntil: 'networkidle' })
  const bytes = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0)
  t.ok(sizes.length >= 5, `${sizes.length} files`)
  t.ok(bytes < maxPageBytes, `${bytes} bytes`)
  await context.close()
})

t.test('the page contains the URLs of this service, and otherwise equals the generated reference', (t) => {
  const served = String(file)
  t.match(served, `RPC_URL=&#39;${service.origin}/YOUR-API-KEY&#39;`)
  for (const name of ['Test network', 'Main network'])
    t.match(served, `data-label="Name">${name}</td><td role="cell" data-label="URL"><code>${service.origin}/`)
  t.notMatch(served.replaceAll('<wbr>', ''), 'node-access.example')
  const methods = (html: string) =>
    html.slice(html.indexOf('<section class="item" id="method-'), html.lastIndexOf('</section>'))
  const tryIt = /^<p><a href="\/try\?method=\w+">Try it<\/a> with a key of yours\.<\/p>\n/gm
  t.equal(methods(served).replaceAll(tryIt, ''), methods(generated))
  t.equal(served.match(tryIt)?.length, generated.match(/ id="method-/g)?.length)
  t.end()
})

t.test('the page has the header, the footer, the theme and the typeface of the other pages', async (t) => {
  const { context, page } = await openPage(browser)
  t.teardown(() => context.close())
  await signUp(page, service.origin)
  await page.click('.theme button:text-is("Dark")')
  await page.waitForSelector('html[data-theme=dark]')
  const look = () =>
    page.evaluate(
      "['backgroundColor', 'color', 'fontFamily'].map((name) => getComputedStyle(document.body)[name])",
    )
  const frame = () =>
    page.locator('header.top a, header.top button, footer a, footer button').allTextContents()
  await page.goto(url)
  const ofReference = [await look(), await frame()]
  t.equal(await page.locator('.menu [aria-current=page]').textContent(), 'Reference')
  await page.click('.menu >> text=Status')
  await page.waitForURL('**/status')
  t.same(ofReference, [await look(), await frame()])
})

t.test('a method leads to the console of a key, by way of the log-in', async (t) => {
  const { context, page } = await openPage(browser)
  t.teardown(() => context.close())
  const email = await signUp(page, service.origin)
  const tryCode = async () => {
    await page.goto(`${url}#method-eth_getCode`)
    await page.click('#method-eth_getCode >> text=Try it')
    await page.waitForLoadState()
    return new URL(page.url())
  }
  const first = new URL(page.url()).pathname
  t.equal((await tryCode()).pathname, first)
  await postForm(page, service.origin, `${first}/delete`)
  t.equal((await tryCode()).pathname, '/keys', 'a user without a key makes one')
  const { id } = await createKey(page, service.origin)
  await context.clearCookies()
  t.equal((await tryCode()).pathname, '/login')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await send(page)
  t.equal(new URL(page.url()).pathname, `/keys/${id}`)
  t.equal(await page.inputValue('#method'), 'eth_getCode')
})

t.test('HEAD has the headers of GET and no body', async (t) => {
  const head = await ask('HEAD')
  const get = await ask('GET')
  t.equal(head.status, 200)
  t.equal(head.body.length, 0)
  for (const name of ['content-type', 'content-security-policy'])
    t.equal(head.headers[name], get.headers[name], name)
})

t.test('the page needs no key and is free of charge; other verbs are unaffected', async (t) => {
  await awayFromMidnight()
  const left = async () => {
    const { headers } = await post(service.networks.test.url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_chainId',
      params: [],
    })
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  }
  const before = await left()
  await ask('GET')
  t.equal(await left(), before - 1)
  const refused = await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  t.equal(refused.status, 401)
  t.match(refused.json, { id: 1, error: { code: -32016 } })
  t.equal((await ask('OPTIONS')).status, 405)
  t.equal((await ask('PUT')).status, 405)
  t.equal(await call(service.networks.test.url, 'eth_chainId'), '0x1f')
})

t.test('the service names its address', async (t) => {
  t.ok(await service.said('out', `reference      ${url}\n`))
})

t.test('in a browser', async (t) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  const requested: string[] = []
  page.on('request', (asked) => requested.push(asked.url()))
  await page.goto(url)

  /** A browser expression, kept as text because the tests lack the DOM types. */
  const inPage = <Value>(expression: string) => page.evaluate(expression) as Promise<Value>
  const shown = (selector: string) =>
    inPage<string[]>(
      `[...document.querySelectorAll('${selector}')].filter((it) => it.checkVisibility()).map((it) => it.textContent)`,
    )
  const isWide = () => inPage<boolean>('document.documentElement.scrollWidth > innerWidth')

  t.test('the search hides entries without all words, in the text and in the contents', async (t) => {
    const all = await shown('main h3')
    t.ok(all.includes('eth_getLogs') && all.includes('Block'))
    await page.getByRole('searchbox', { name: /Search/ }).fill('estimate GAS')
    const found = await shown('main h3')
    t.ok(found.includes('eth_estimateGas'))
    t.notOk(found.includes('eth_getBalance'))
    t.ok((await shown('.contents li li a')).includes('eth_estimateGas'))
    t.notOk((await shown('.contents li li a')).includes('eth_getBalance'))
    t.match(await shown('#rules tbody tr'), [/estimate/i])
    t.match(await page.locator('#found').textContent(), /^\d+ found$/)
    await page.fill('#search', 'no such words')
    t.equal(await page.locator('#found').textContent(), 'No matches')
    t.same(await shown('main h2'), [])
    await page.fill('#search', '')
    t.same(await shown('main h3'), all)
  })

  t.test('the search finds error codes, parameters, members and limits', async (t) => {
    const finds = async (words: string, selector: string) => {
      await page.fill('#search', words)
      return shown(selector)
    }
    t.match(await finds('-32005', '#errors tbody tr'), [/^limitExceeded/])
    t.ok((await finds('blockSelector', 'main h3')).includes('eth_getBalance'))
    t.ok((await finds('cumulativeGasUsed', 'main h3')).includes('Receipt'))
    t.match(await finds('logsPerAnswer', '#limits tbody tr'), [/^logsPerAnswer/])
    await page.fill('#search', '')
  })

  t.test('a copied curl line works', async (t) => {
    await findTool('curl')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${url}#method-eth_chainId`)
    const buttons = page.locator('#method-eth_chainId .example[open] button')
    t.same(await buttons.evaluateAll((all) => all.map((button) => button.ariaLabel)), [
      'Copy: Request',
      'Copy: Answer',
    ])
    await buttons.first().click()
    await page.getByRole('button', { name: 'Copied: Request' }).waitFor()
    const line = await inPage<string>('navigator.clipboard.readText()')
    const env = { PATH: process.env['PATH'], RPC_URL: service.networks.test.url }
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { env })
    t.same(JSON.parse(stdout), { jsonrpc: '2.0', id: 1, result: '0x1f' })
  })

  t.test('without a clipboard the text is selected', async (t) => {
    const plain = await browser.newContext()
    const other = await plain.newPage()
    await other.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await other.goto(url)
    await other.locator('#method-eth_chainId .example[open] button').first().click()
    await other.getByRole('button', { name: /^(?:Copied|Selected): Request$/ }).waitFor()
    t.match(await other.evaluate('getSelection().toString()'), /^curl -s "\$RPC_URL" .*eth_chainId/)
    await plain.close()
  })

  t.test('the print version contains every example, and no interactive elements', async (t) => {
    await page.goto(url)
    await inPage("dispatchEvent(new Event('beforeprint'))")
    await page.emulateMedia({ media: 'print' })
    t.equal(await inPage("[...document.querySelectorAll('.example')].every((it) => it.open)"), true)
    t.same(await shown('.reference button, #search, .contents'), [])
    await page.emulateMedia({ media: null })
  })

  t.test('a link to a hidden entry shows it', async (t) => {
    await page.fill('#search', 'eth_estimateGas')
    await inPage("location.hash = '#object-Block'")
    await page.waitForFunction("document.getElementById('search').value === ''")
    t.ok((await shown('#object-Block h3')).includes('Block'))
  })

  t.test('the search and the text are reachable with the keyboard', async (t) => {
    await page.goto(url)
    await page.keyboard.press('Tab')
    t.equal(await inPage('document.activeElement.textContent'), 'Skip to content')
    await page.keyboard.press('/')
    t.equal(await inPage('document.activeElement.id'), 'search')
    t.not(await inPage('getComputedStyle(document.activeElement).outlineStyle'), 'none')
  })

  t.test('nothing is wider than a phone, a tablet or a desktop, also with open examples', async (t) => {
    await inPage("document.querySelectorAll('details').forEach((it) => { it.open = true })")
    for (const width of everyNth(2, [360, 600, 736, 768, 840, 1024, 1152, 1160, 1280, 1472, 1920])) {
      await page.setViewportSize({ width, height: 800 })
      t.notOk(await isWide(), `${width} pixels`)
    }
  })

  t.test('on a phone the contents are collapsed, and a link in them collapses them again', async (t) => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(url)
    t.same(await shown('.contents li'), [])
    await page.getByText('Contents', { exact: true }).click()
    await page.getByRole('link', { name: 'eth_getLogs', exact: true }).first().click()
    t.same(await shown('.contents li'), [])
    t.equal(await inPage('location.hash'), '#method-eth_getLogs')
  })

  t.test('the page is dark on request, with enough contrast', async (t) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const colours = await inPage<readonly string[]>(
        "['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name])",
      )
      const [paper = 0, ink = 0] = colours.map(luminance)
      t.equal(paper < ink, colorScheme === 'dark', colours.join(' '))
      t.ok((Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05) >= 7, colorScheme)
    }
  })

  t.test('axe-core finds no violations in any width and colour scheme', async (t) => {
    // The short form checks each width and each scheme once.
    const looks = chosen(
      {
        'light, narrow': { colorScheme: 'light', width: 360 },
        'light, wide': { colorScheme: 'light', width: 1280 },
        'dark, narrow': { colorScheme: 'dark', width: 360 },
        'dark, wide': { colorScheme: 'dark', width: 1280 },
      } as const,
      { 'light, wide': 'light, narrow', 'dark, narrow': 'dark, wide' },
    )
    for (const [look, { colorScheme, width }] of looks) {
      const viewport = { width, height: 800 }
      // The page's own policy blocks axe-core.
      const open = await browser.newContext({ bypassCSP: true, colorScheme, viewport })
      const checked = await open.newPage()
      await checked.goto(url)
      // Items share their styles, so the short form checks the dark scheme of every tenth one.
      if (colorScheme === 'dark' && !isLong) await checked.evaluate(removeMostItems)
      t.same(await axeProblems(checked), [], look)
      await open.close()
    }
  })

  t.test('without scripts everything but the search works', async (t) => {
    const bare = await browser.newContext({ javaScriptEnabled: false })
    const still = await bare.newPage()
    t.teardown(() => bare.close())
    await still.goto(url)
    t.notOk(await still.locator('#search').isVisible())
    t.ok(await still.locator('#method-eth_getLogs h3').isVisible())
    t.ok(await still.locator('.contents li li a').first().isVisible())
  })

  t.same(complaints, [], 'no error and no violation of the policy')
  t.ok(
    requested.every((asked) => [url, `${service.origin}/assets/`].some((known) => asked.startsWith(known))),
    'nothing else is loaded',
  )
})

/** Keeps every tenth method and object of the page. */
const removeMostItems =
  "document.querySelectorAll('.item').forEach((item, place) => { if (place % 10 > 0) item.remove() })"

/** Relative luminance of `rgb(…)` (WCAG 2.2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const value = Number(part) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
