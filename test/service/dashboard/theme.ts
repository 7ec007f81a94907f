import t from 'tap'
import { createVisitor } from '../../support/visitor.js'
import { origin } from './http-harness.js'

/** The theme, without scripts. */
const themeOf = (html: string) => /<html lang="en"(?: data-theme="(\w+)")?>/.exec(html)?.[1]

t.test(
  'a chosen theme is kept, on pages with and without a session, until the system’s is chosen',
  async (t) => {
    const { get, post } = createVisitor(origin)
    t.equal(themeOf((await get('/')).html), undefined)
    for (const theme of ['dark', 'light']) {
      const sent = await post('/theme', { theme }, { headers: { referer: `${origin}/login?next=%2Fkeys` } })
      t.match(sent, { status: 303, location: '/login?next=%2Fkeys' })
      t.match(
        sent.headers.get('set-cookie'),
        /^concordat\.theme=\w+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/,
      )
      for (const path of ['/', '/login', '/status']) t.equal(themeOf((await get(path)).html), theme, path)
      const missing = await get('/nothing', { accept: 'text/html' })
      t.equal(themeOf(missing.html), theme, 'outside of the dashboard')
      t.notMatch(missing.html, 'action="/theme"')
    }
    t.match((await get('/')).html, /value="light" aria-pressed="true"/)
    await post('/theme', { theme: '' })
    t.equal(themeOf((await get('/')).html), undefined)
  },
)

t.test('an unknown theme, and a page of another origin, change nothing', async (t) => {
  const { get, post } = createVisitor(origin)
  for (const referer of [
    'https://evil.example/keys',
    `${origin}//evil.example`,
    `${origin}/theme`,
    'nonsense',
  ]) {
    const { location } = await post('/theme', { theme: 'pink"' }, { headers: { referer } })
    t.match(location, /^\/(?!\/|theme)/, referer)
  }
  t.equal(themeOf((await get('/', { cookie: 'concordat.theme=pink' })).html), undefined)
})

t.test('the typeface is loaded once, and kept for a year', async (t) => {
  const { get } = createVisitor(origin)
  const { html } = await get('/login')
  const [, preloaded = ''] =
    /<link rel="preload" href="([^"]*)" as="font" type="font\/woff2" crossorigin="anonymous"\/?>/.exec(
      html,
    ) ?? []
  const [, styles = ''] = /href="(\/assets\/pages\.css[^"]*)"/.exec(html) ?? []
  const [, used] = /url\("([^"]*)"\)/.exec((await get(styles)).html) ?? []
  t.equal(used, preloaded)
  const headers = { 'accept-encoding': 'gzip' }
  const answer = await fetch(origin + preloaded, { headers })
  t.equal(
    Buffer.from(await answer.arrayBuffer())
      .subarray(0, 4)
      .toString(),
    'wOF2',
  )
  t.equal(answer.headers.get('content-type'), 'font/woff2')
  t.equal(answer.headers.get('content-encoding'), null, 'it is compressed already')
  t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  const other = await fetch(`${origin}${preloaded.replace(/\?.*/, '')}`, { headers })
  t.equal(other.headers.get('cache-control'), 'no-cache')
  await other.body?.cancel()
})
