import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { createVisitor } from '../../../../support/visitor.js'
import { openSite } from './site.js'

const svg = (colour: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20" fill="${colour}"/>`

/** The URL of the first attribute with a value, as text. */
const attribute = (html: string, pattern: RegExp) => pattern.exec(html)?.[1] ?? ''

t.test('pages show the configured name, images, colour, support and terms', async (t) => {
  const folder = await temporaryFolder(t)
  const [wordmark, favicon] = [join(folder, 'wordmark.svg'), join(folder, 'icon.svg')]
  await Promise.all([writeFile(wordmark, svg('red')), writeFile(favicon, svg('blue'))])
  const { origin } = await openSite(t, {
    CONCORDAT_PRODUCT_NAME: 'Example & Sons',
    CONCORDAT_PRODUCT_WORDMARK: wordmark,
    CONCORDAT_PRODUCT_FAVICON: favicon,
    CONCORDAT_PRODUCT_ACCENT_COLOUR: '#ffcc00',
    CONCORDAT_PRODUCT_SUPPORT: 'help@example.net',
    CONCORDAT_PRODUCT_TERMS: 'https://example.net/terms',
  })
  const { get } = createVisitor(origin)
  const { html } = await get('/login')
  t.match(html, '<title>Log in · Example &amp; Sons</title>')
  t.match(html, 'href="mailto:help@example.net"')
  t.match(html, 'href="https://example.net/terms"')
  const image = await get(
    attribute(html, /<img class="wordmark" src="([^"]*)" width="80" height="20" alt="Ex/),
  )
  t.match(image.headers.get('content-type'), 'image/svg+xml')
  t.equal(image.html, svg('red'))
  t.equal((await get(attribute(html, /<link rel="icon" href="([^"]*)"/))).html, svg('blue'))
  const styles = (await get(attribute(html, /href="(\/assets\/pages\.css[^"]*)"/))).html
  t.match(styles, /--accent: light-dark\(#(?!ffcc00)\w{6}, #ffcc00\)/)
})

t.test('without settings, the name is the contract’s title, and there is no support', async (t) => {
  const { origin } = await openSite(t)
  const { get } = createVisitor(origin)
  const { html } = await get('/')
  t.match(html, '<title>Node access service</title>')
  t.notMatch(html, />Support<|>Terms</)
  const icon = attribute(html, /<link rel="icon" href="([^"]*)"/)
  t.match((await get(icon)).html, /^<svg .*#2456e6/)
})

t.test('an image that cannot be used is refused at the start', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'image.svg')
  await t.rejects(openSite(t, { CONCORDAT_PRODUCT_WORDMARK: file }), {
    code: 'invalid_input',
    message: /PRODUCT_WORDMARK.* cannot be read: ENOENT/,
  })
  for (const content of ['<svg>', `${svg('red')}${' '.repeat(20_480)}`]) {
    await writeFile(file, content)
    await t.rejects(openSite(t, { CONCORDAT_PRODUCT_FAVICON: file }), {
      message: /PRODUCT_FAVICON.* must be an SVG or PNG image with a size, of at most 20 KiB/,
    })
  }
})

t.test('the footer leads to the guides, which the service serves', async (t) => {
  const parent = await temporaryFolder(t)
  await writeFile(join(parent, 'secret.txt'), 'secret')
  const folder = join(parent, 'guides')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><script>one()</script><script src="/guides/assets/a.js"></script>',
  )
  await writeFile(join(folder, 'assets/a.js'), 'two()')
  await writeFile(join(folder, 'assets/removed.js'), 'three()')
  await symlink(join(process.cwd(), 'README.md'), join(folder, 'linked.html'))
  await writeFile(join(folder, '404.html'), 'lost')
  const { origin } = await openSite(t, { CONCORDAT_PRODUCT_GUIDES_FOLDER: folder })
  const { get } = createVisitor(origin)
  const path = attribute((await get('/login')).html, /<a href="([^"]*)">Guides</)
  const guide = await get(path)
  t.match(guide.html, '<script>one()</script>')
  t.match(guide.headers.get('content-type'), 'text/html')
  const hash = createHash('sha256').update('one()').digest('base64')
  t.match(guide.headers.get('content-security-policy'), `script-src 'self' 'sha256-${hash}';`)
  const script = await get('/guides/assets/a.js')
  t.equal(script.html, 'two()')
  t.match(script.headers.get('cache-control'), 'immutable')
  await rm(join(folder, 'assets/removed.js'))
  for (const other of ['other.html', 'assets/of-another-build.js', 'assets/removed.js', 'linked.html']) {
    const { html, status, headers } = await get(`/guides/${other}`)
    t.equal(status, 404, other)
    t.equal(html, 'lost')
    t.equal(headers.get('cache-control'), 'no-cache', 'another process may have it')
  }
  for (const outside of ['..%2fsecret.txt', 'assets%2f..%2f..%2fsecret.txt', '..%5csecret.txt']) {
    const { html, status } = await get(`/guides/${outside}`)
    t.match({ html, status }, { html: 'lost', status: 404 }, outside)
  }
})

t.test('guides elsewhere are linked, and a folder without guides is refused', async (t) => {
  const { origin } = await openSite(t, { CONCORDAT_PRODUCT_GUIDES_URL: 'https://docs.example.net/' })
  t.match((await createVisitor(origin).get('/login')).html, '<a href="https://docs.example.net/">Guides</a>')
  const folder = await temporaryFolder(t)
  await t.rejects(openSite(t, { CONCORDAT_PRODUCT_GUIDES_FOLDER: folder }), /guidesFolder\) has no guides: /)
})
