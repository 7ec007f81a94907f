import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import MarkdownIt from 'markdown-it'
import t, { type Test } from 'tap'
import { guidePages } from '../../../bin/docs/guide-pages.js'
import { llmsText } from '../../../bin/docs/llms-text.js'
import { inlineDrawings } from '../../../bin/docs/markdown-rules.js'
import { headingAnchors, mapLinks, markdownLines, withoutComments } from '../../../bin/docs/markdown-text.js'
import { movedPage } from '../../../bin/docs/moved-page.js'
import { repositoryUrl } from '../../../bin/docs/repository-url.js'
import { searchIndex } from '../../../bin/docs/search-index.js'
import { siteConfig } from '../../../bin/docs/site-config.js'
import { type SitePage, siteContent } from '../../../bin/docs/site-pages.js'
import { siteStyle, tokensFile, tokensModule } from '../../../bin/docs/site-style.js'
import { methods } from '../../../generated/methods.js'
import { settingsSchema } from '../../../src/service/gateway/app/config/settings-schema.js'
import { longTest } from '../../support/runs.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const service = 'https://rpc.example.com'
const repository = 'https://git.example.com/them/concordat'

const { groups, pictures, formerAnchors } = await siteContent(root, { service })
const pages = groups.flatMap((group) => group.pages)
const files = new Map(pages.map((page) => [`${page.route}.md`, page]))

/** Facts of a site whose repository has no address. */
const facts = {
  ...{ title: 'T', description: 'D', base: '/', folder: 'in', outDir: 'out' },
  ...{ groups, drawings: {}, repository: undefined },
}

/** The anchors of a page's headings. */
const anchorsOf = ({ markdown }: SitePage): ReadonlySet<string> => new Set(headingAnchors(markdown).values())

t.test('every link leads to a page, a heading or a picture of the site, or to the web', async (t) => {
  let links = 0
  for (const page of pages) {
    mapLinks(page.markdown, (target) => {
      links += 1
      if (/^(?:https?|mailto):/.test(target)) return target
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? `${page.route}.md` : posix.join(posix.dirname(page.route), path)
      const found = files.get(file)
      if (found === undefined) t.ok(pictures.has(file), `${page.source}: ${target}`)
      else if (anchor !== undefined) t.ok(anchorsOf(found).has(anchor), `${page.source}: ${target}`)
      return target
    })
  }
  t.ok(links > 300, `${links} links`)
})

t.test('every guide, README and decision is in the sidebar, and every method has a page', async (t) => {
  const listed = new Set(pages.map(({ source }) => source))
  const markdown = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name))
  const top = (await readdir(root)).filter((name) => name.endsWith('.md'))
  const all = (await Promise.all(['docs', 'deploy', 'conformance', 'examples'].map(markdown))).flat()
  for (const source of [...top, ...all]) t.ok(listed.has(source), source)
  for (const method of Object.keys(methods)) {
    const { markdown: text } = files.get(`reference/${method}.md`) ?? { markdown: '' }
    t.match(text, new RegExp(`^# ${method}\n`))
    t.ok(text.includes(`](${service}/try?method=${method})`), method)
    t.match(text, '\n## Result\n', method)
  }
  t.equal(files.size, pages.length, 'no two pages have one path')
  t.ok(pages.every(({ title }) => title !== ''))
})

t.test('comments for the authors of a document are on no page; those in code are', (t) => {
  for (const { markdown, source } of pages)
    t.notOk(
      markdownLines(markdown).some(({ text, isCode }) => !isCode && text.trimStart().startsWith('<!--')),
      source,
    )
  t.equal(
    withoutComments('<!-- one\n\ntwo -->\n\n# A\n\n<!-- b -->\n<p>\n\n```html\n<!-- code -->\n```\n'),
    '# A\n\n<p>\n\n```html\n<!-- code -->\n```\n',
  )
  t.end()
})

t.test('a method has its objects on its page, and links to them stay there', (t) => {
  const { markdown } = files.get('reference/eth_getBlockByNumber.md') ?? { markdown: '' }
  t.match(markdown, /^## Objects\n[\s\S]*^### Block\n[\s\S]*^### Transaction\n/m)
  t.match(markdown, '](#block)')
  t.notMatch(markdown, '(./objects')
  t.notMatch(markdown, '### LogFilter')
  t.end()
})

t.test('llms.txt lists every page with its title', async (t) => {
  const text = llmsText('Concordat', 'A contract.', groups)
  t.match(text, /^# Concordat\n\n> A contract\.\n\n## /)
  for (const { title, route } of pages) t.ok(text.includes(`- [${title}](${route}.md)`), route)
  t.equal(text.match(/^- /gm)?.length, pages.length)
})

t.test('edit links and links to code appear when the repository has an address', async (t) => {
  t.notOk(siteConfig(facts).themeConfig?.editLink)
  t.match(siteConfig({ ...facts, repository }).themeConfig?.editLink, {
    pattern: `${repository}/edit/main/:path`,
  })
  const found = await siteContent(root, { repository })
  const cases = found.groups.flatMap((group) => group.pages).find(({ route }) => route === 'cases')
  t.match(cases?.markdown, `](${repository}/blob/main/conformance/uncles/`)
  t.notMatch(files.get('cases.md')?.markdown, '](../conformance/uncles/')
  t.notMatch(
    found.groups
      .flatMap((group) => group.pages)
      .map(({ markdown }) => markdown)
      .join(''),
    '[Try it]',
  )
})

t.test('braces of a page are text, not expressions of Vue', async (t) => {
  const { markdown } = siteConfig(facts)
  const md = new MarkdownIt()
  markdown?.config?.(md as unknown as Parameters<typeof markdown.config>[0])
  const html = md.render('# A {{ a }}\n\n{{ b }} and `{{` and:\n\n```sh\necho {{ c }}\n```\n')
  t.notMatch(html, '{{')
  t.equal(html.match(/&#123;&#123;/g)?.length, 4)
})

t.test('the address of the repository is read from each form of package.json', (t) => {
  const forms = {
    'git+https://github.com/them/it.git': 'https://github.com/them/it',
    'github:them/it': 'https://github.com/them/it',
    'them/it': 'https://github.com/them/it',
    'https://git.example.com/them/it': 'https://git.example.com/them/it',
    'git@git.example.com:them/it.git': undefined,
  }
  for (const [given, wanted] of Object.entries(forms)) {
    t.equal(repositoryUrl(given), wanted, given)
    t.equal(repositoryUrl({ type: 'git', url: given }), wanted, given)
  }
  t.equal(repositoryUrl(undefined), undefined)
  t.end()
})

longTest('npm run docs builds the site without dead links, and the service serves it', async (t) => {
  const folder = await temporaryFolder(t)
  const base = '/guides/'
  await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'bin/docs.ts', '--out', folder, '--base', base, '--service', service],
    { cwd: root },
  )
  const ids = new Map<string, ReadonlySet<string>>()
  const html = new Map<string, string>()
  for (const { route } of pages) {
    const text = await readFile(join(folder, `${route}.html`), 'utf8')
    html.set(`${route}.html`, text)
    ids.set(`${route}.html`, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)))
    t.ok(existsSync(join(folder, `${route}.md`)), route)
  }
  for (const [file, text] of html) {
    for (const [, name = '', target = ''] of text.matchAll(/ (href|src)="([^"]*)"/g)) {
      if (/^(?:data|mailto|https):/.test(target)) {
        t.notOk(name === 'src' || target.startsWith(`http:`), `${file} loads ${target}`)
        continue
      }
      const [path = '', anchor] = decodeURIComponent(target).split('#')
      const onSite = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(file), path)
      const found = path === '' ? file : onSite.replace(/(^|\/)$/, '$1index.html')
      if (!ids.has(found)) t.ok(existsSync(join(folder, found)), `${file}: ${target}`)
      else if (anchor) t.ok(ids.get(found)?.has(anchor), `${file}: ${target}`)
    }
  }
  for (const { part, hasIndex, pages: listed } of groups) {
    const sidebar = html.get(part === undefined ? 'overview.html' : 'project/architecture.html') ?? ''
    for (const [at, { route }] of listed.filter((page) => page.route !== 'index').entries())
      t.equal(
        sidebar.includes(`href="${base}${route.replace(/(^|\/)index$/, '$1')}`),
        at === 0 || !hasIndex,
        route,
      )
  }
  const chunks = await readdir(join(folder, 'assets/chunks'))
  t.ok(chunks.some((name) => name.startsWith('@localSearchIndex')))
  t.match(await readFile(join(folder, 'llms.txt'), 'utf8'), '- [eth_getLogs](reference/eth_getLogs.md): ')
  await checkPages(t, folder, base)
  await openFromFooter(t, folder)
})

/** One page of each kind: the landing page, drawings, a tutorial, a guide and a part of it, an index, and references. */
const checkedPages = [
  'index',
  'concepts',
  'tutorials/backend',
  'backend',
  'backend/serve',
  'project/decisions/index',
  'questions/how-many-logs',
  'reference/eth_getLogs',
  'reference/limits',
  'settings',
]

/** Opens pages of a built site on a phone and on a desktop, in both themes. */
async function checkPages(t: Test, folder: string, base: string): Promise<void> {
  // Only the long form needs a browser.
  const { checkAppearance, openBrowser, openPage } = await import('../../support/dashboard.js')
  const browser = await openBrowser(t)
  for (const [place, route] of checkedPages.entries()) {
    // Colours that fade from one theme to the other would be measured in between.
    const { context, page, complaints } = await openPage(browser, { reducedMotion: 'reduce' })
    await page.route('**', (each) =>
      each.fulfill({ path: join(folder, new URL(each.request().url()).pathname.slice(base.length)) }),
    )
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${service}${base}${route}.html`)
      await checkAppearance(t, page, route)
    }
    if (place === 0) {
      const family = await page.evaluate('getComputedStyle(document.body).fontFamily')
      t.match(family, /^Inter, /)
    }
    if (place === 0) {
      await page.locator('.VPNavBarSearch button').first().click()
      const question = 'How do I deal with a flaky test?'
      await page.locator('#localsearch-input').fill(question)
      const hits = searchIndex(groups, undefined, base).search(question).slice(0, 3)
      for (const [at, { id }] of hits.entries())
        t.equal(await page.locator('.result').nth(at).getAttribute('href'), id)
    }
    t.same(complaints, [], route)
    await context.close()
  }
}

/** Opens the guides from the footer of a service that serves them, and searches there. */
async function openFromFooter(t: Test, folder: string): Promise<void> {
  const [{ openBrowser, openPage }, { startService }] = await Promise.all([
    import('../../support/dashboard.js'),
    import('../../support/service.js'),
  ])
  const running = await startService({ env: { CONCORDAT_PRODUCT_GUIDES_FOLDER: folder } })
  t.teardown(() => running.stop())
  const { page, complaints } = await openPage(await openBrowser(t))
  await page.goto(`${running.origin}/login`)
  await page.getByRole('link', { name: 'Guides' }).click()
  await page.getByRole('link', { name: 'Operator', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: /^Operator: / }).waitFor()
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('#localsearch-input').fill('flaky')
  await page.locator('.result').first().waitFor()
  await page.goto(`${running.origin}/guides/backend.html#mount-it`)
  await page.waitForURL('**/guides/backend/serve.html#mount-it')
  await page.goto(`${running.origin}/guides/decisions/0010-runtime-takes-descriptors.html#context`)
  await page.waitForURL('**/guides/project/decisions/0010-runtime-takes-descriptors.html#context')
  t.same(complaints, [], 'the policy allows what the guides need')
}

t.test('the index of decisions lists each record once, with its title', async (t) => {
  const index = await readFile(join(root, 'docs/decisions/README.md'), 'utf8')
  const listed = [...index.matchAll(/^- \[\d{4}\]\(([^)]*)\) (.*)$/gm)].map(
    ([, name, title]) => `${name}: ${title}`,
  )
  const records = pages
    .filter(({ source }) => /^docs\/decisions\/\d/.test(source))
    .map(({ source }) => source.slice('docs/decisions/'.length))
  const titles = await Promise.all(
    records.map(async (name) => {
      const [first = ''] = (await readFile(join(root, 'docs/decisions', name), 'utf8')).split('\n')
      return `${name}: ${first.slice(2)}`
    }),
  )
  t.same([...listed].sort(), [...titles].sort())
})

/** Pages that may be longer: lists in which readers look up one entry, and records of the project. */
const longPages = /^(?:project\/|reference\/|settings$|clients$|cases$|commands$)/

t.test('no guide is longer than about 2,000 words', (t) => {
  for (const { route, markdown } of pages) {
    const words = markdown.split(/\s+/).length
    t.ok(words < 2_200 || longPages.test(route), `${route}: ${words} words`)
  }
  t.end()
})

t.test('a long guide leads on to its pages, also from its former anchors', (t) => {
  const guide = files.get('backend.md')
  t.match(guide?.markdown, '- **[A first service](./backend/serve.md#start-a-project)**')
  t.match(files.get('qa.md')?.markdown, '(./qa/laws.md#laws-of-a-contract)')
  t.equal(formerAnchors['backend']?.['mount-it'], 'backend/serve')
  t.equal(formerAnchors['index']?.['run-it'], 'overview')
  for (const homes of Object.values(formerAnchors))
    for (const [anchor, route] of Object.entries(homes)) {
      const home = files.get(`${route}.md`)
      t.ok(home !== undefined && anchorsOf(home).has(anchor), `${route}#${anchor}`)
    }
  t.throws(() => guidePages('a', '# A\n\n## B\n', [{ slug: 'c', title: 'C', sections: [] }]), /lacks B/)
  t.throws(() => guidePages('a', '# A\n', [{ slug: 'c', title: 'C', sections: ['D'] }]), /no section "D"/)
  t.end()
})

t.test('former addresses lead on', (t) => {
  const record = files.get('project/decisions/0010-runtime-takes-descriptors.md')
  t.same(record?.formerRoutes, ['decisions/0010-runtime-takes-descriptors'])
  t.match(movedPage('../new.html'), 'location.replace("../new.html" + location.search + location.hash)')
  t.end()
})

t.test('drawings have a name, and the colours of both themes', async (t) => {
  const style = await siteStyle()
  for (const [name, file] of pictures) {
    if (!name.endsWith('.svg')) continue
    const drawing = await readFile(join(root, file), 'utf8')
    for (const [colour] of drawing.matchAll(/light-dark\([^)]*\)/g))
      t.ok(style.includes(colour), `${name}: ${colour}`)
    t.notMatch(drawing.replaceAll(/light-dark\([^)]*\)/g, ''), /#[0-9a-f]{3}/, name)
    const md = new MarkdownIt()
    inlineDrawings(md as unknown as Parameters<typeof inlineDrawings>[0], { [name]: drawing })
    t.match(
      md.render(`![A "name"](./${name})`),
      '<svg class="drawing" aria-label="A &quot;name&quot;" xmlns=',
    )
  }
})

t.test('the site has the colours of the service: each that it uses is one of the dashboard', async (t) => {
  const style = await siteStyle()
  const defined = new Set([...style.matchAll(/^ +(--[\w-]+):/gm)].map(([, name]) => name))
  for (const [, name = ''] of style.matchAll(/var\((--[\w-]+)\)/g)) t.ok(defined.has(name), name)
  const { default: accent } = settingsSchema.properties.product.properties.accentColour
  t.match(style, `--accent: light-dark(${accent}, `)
})

t.test('reports and the reference have the tokens of the dashboard', async (t) => {
  t.equal(await readFile(tokensFile, 'utf8'), await tokensModule(), 'run npm run generate')
})
