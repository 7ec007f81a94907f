import { createHash } from 'node:crypto'
import t from 'tap'
import { limits, rules } from '../../../../generated/contract.js'
import { isGenerated } from '../../../../src/toolkit/codegen/header.js'
import { emitReferenceHtml } from '../../../../src/toolkit/codegen/reference/emit-reference.js'
import { createIds, escapeHtml } from '../../../../src/toolkit/codegen/reference/html-text.js'
import {
  blocksHtml,
  inlineHtml,
  type Links,
  markdownBlocks,
} from '../../../../src/toolkit/codegen/reference/markdown-html.js'
import { type Contract, objectMember } from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'
import { contractOf, emitted, fixtureNames, loadFixture, methodOf, ownContract, tool } from './fixtures.js'

const own = await ownContract()
const newPage = (contract: Contract) => emitted(emitReferenceHtml, contract)

const pages = new Map<Contract, string>()

/** The page of a contract, made once. */
function pageOf(contract: Contract): string {
  const page = pages.get(contract) ?? newPage(contract)
  pages.set(contract, page)
  return page
}

/** Ids and links of a page, as a browser reads them. */
function idsOf(page: string): readonly string[] {
  return [...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => decoded(id))
}

function decoded(text: string): string {
  const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '')
}

/** The tags of a page. */
const known =
  /^<(?:!doctype html|\/?(?:html|head|body|title|style|script|div|nav|details|summary|ul|ol|li|a|span|header|h[1-5]|label|output|main|section|p|code|pre|strong|em|table|thead|tbody|tr|th|td|wbr|footer|blockquote|s)(?: [a-z-]+(?:="[^"<>]*")?)*|(?:meta|link|input|br|hr)(?: [a-z-]+(?:="[^"<>]*")?)*)>$/

/** The tags of the page, without their content. */
function tagsOf(page: string): readonly string[] {
  const own = page
    .slice(page.indexOf('<!doctype'))
    .replaceAll(/<style>.*?<\/style>/gs, '<style></style>')
    .replace(/<script>.*?<\/script>/s, '<script></script>')
  return tagsIn(own)
}

function tagsIn(html: string): readonly string[] {
  return [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag)
}

for (const [name, load] of [
  ['openrpc.json', async () => own],
  ...fixtureNames.map((fixture) => [fixture, () => loadFixture(fixture)] as const),
] as const) {
  t.test(`${name}: links have targets, ids are unique, and headings skip no level`, async (t) => {
    const page = pageOf(await load())
    const ids = idsOf(page)
    t.equal(new Set(ids).size, ids.length, 'no duplicate id')
    t.ok(ids.every((id) => /^[\w.$-]+$/.test(id)))
    for (const [, href = ''] of page.matchAll(/ href="#([^"]*)"/g))
      if (!ids.includes(decoded(href))) t.fail(href)
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
    t.equal(levels[0], 1)
    t.equal(levels.filter((level) => level === 1).length, 1)
    t.ok(
      levels.every((level, at) => at === 0 || level <= (levels[at - 1] ?? 0) + 1),
      'no level is skipped',
    )
    t.equal(page, newPage(await load()), 'the same contract gives the same page')
  })
}

const publicLimits = objectMember(objectMember(own.published(), 'info'), 'x-limits')

t.test('every method, object, error, public limit and rule is listed', async (t) => {
  const ids = new Set(idsOf(pageOf(own)))
  const wanted = [
    ...own.methods.map(({ name }) => `method-${name}`),
    ...own.schemas.map(({ key }) => `object-${key}`),
    ...own.errors.map(({ key }) => `errors-${key}`),
    ...Object.keys(publicLimits).map((name) => `limits-${name}`),
    ...Object.keys(rules).map((id) => `rules-${id}`),
  ]
  t.same(
    wanted.filter((id) => !ids.has(id)),
    [],
  )
  t.same(
    Object.keys(limits).filter((name) => !(name in publicLimits) && ids.has(`limits-${name}`)),
    [],
    'private limits are left out',
  )
})

t.test('every example has its request as a curl line, and its answer', async (t) => {
  const page = pageOf(await loadFixture('pet-store'))
  for (const part of [
    '<h5>Request</h5></div>\n<pre><code>curl -s &quot;$RPC_URL&quot;',
    '<h5>Answer</h5></div>\n<pre><code>{&quot;jsonrpc&quot;:&quot;2.0&quot;,&quot;id&quot;:1,',
    '{&quot;code&quot;:100,&quot;message&quot;:&quot;Pets are busy&quot;}',
    '<a href="#object-Pet"><code>Pet</code></a> or <code>null</code>',
    '<h4>Errors</h4>\n<table',
    '<a href="#errors-busy"><code>busy</code></a></td><td role="cell" data-label="Code">100</td>',
    '<h4>Parameters</h4>\n<table',
    '<a href="#rules-pets.newest-first"><code>pets.<wbr>newest-first</code></a>',
    '<strong>Deprecated.</strong>',
  ])
    t.ok(page.includes(part), part)
})

t.test('the page runs only its own script', async (t) => {
  for (const page of [pageOf(own), pageOf(await loadFixture('hostile'))]) {
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    for (const [name, count] of [
      ['style', 2],
      ['script', 1],
    ] as const) {
      const parts = [...page.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))]
      t.equal(parts.length, count, name)
      const hashes = parts.map(([, text = '']) => createHash('sha256').update(text).digest('base64'))
      t.ok(policy.includes(`${name}-src ${hashes.map((hash) => `'sha256-${hash}'`).join(' ')};`), name)
    }
    t.match(policy, /^default-src 'none'/)
    t.notMatch(policy, /unsafe|https?:/)
    t.same(
      tagsOf(page).filter((tag) => /\s(?:on\w+|style|src)\s*=/i.test(tag)),
      [],
    )
  }
})

t.test('no text of a document becomes a tag', async (t) => {
  const page = pageOf(await loadFixture('hostile'))
  const tags = tagsOf(page)
  t.match(page, /^<!-- Generated by concordat /)
  t.equal(page.indexOf('-->'), page.indexOf(' -->\n<!doctype html>') + 1, 'the comment ends in its place')
  t.same(
    tags.filter((tag) => !known.test(tag)),
    [],
  )
  t.equal(tags.filter((tag) => tag === '</script>').length, 1)
  t.ok(page.includes('&lt;/script&gt;'))
})

t.test('hostile titles, names, Markdown and links are escaped', async (t) => {
  const evil = `--><img src=x onerror=alert(1)>"'&`
  const contract = contractOf({
    info: {
      title: `-${evil}`,
      version: evil,
      description: `[x](javascript:alert(1)) [y](https://e.example/"onx=1)`,
    },
    methods: [{ ...methodOf([], {}, { summary: evil, tags: [{ name: evil }] }), name: evil }],
  })
  const page = pageOf(contract)
  t.notMatch(page.slice(page.indexOf('<!doctype')), /<img/)
  t.notMatch(page, /href="javascript/)
  t.ok(page.includes('href="https://e.example/&quot;onx=1"'))
  t.ok(isGenerated(page, tool.name))
  t.equal(page.indexOf('-->'), page.indexOf(' -->\n<!doctype html>') + 1, 'the comment ends in its place')
})

t.test('headings, bold words, lists and examples of a description stay in it', async (t) => {
  const itemOf = (description: string) => {
    const page = newPage(contractOf({ methods: [{ ...methodOf([], { type: 'string' }), description }] }))
    const [, item = ''] = page.split('<section class="item"')
    t.match(item, /<h4>Result<\/h4>\n<p><code>string<\/code><\/p>\n<\/section>/, 'the result is in the item')
    return item
  }
  t.ok(itemOf('- **Fast**\n- **Slow**').includes('<li><strong>Fast</strong></li>'))
  t.ok(itemOf('- ## Chapter\n\n> # Quote').includes('<li><p><strong>Chapter</strong></p>'))
  t.ok(itemOf('a\n\n##\n\nb').includes('<p>a</p>\n<p>b</p>'))
  t.ok(itemOf('~~~\n# a <b>\n~~~').includes('<pre><code># a &lt;b&gt;</code></pre>'))
  const own = itemOf('## Example\n\n| a |\n|---|\n| cell |\n\n- item')
  t.match(own, /<h4>Example<\/h4>\n<table[\s\S]*cell[\s\S]*<li>item<\/li>/)
  for (const mark of ['-', '+', '*']) {
    const info = { title: 'T', version: '1', description: `List:\n\n${mark} one\n${mark} two` }
    const page = newPage(contractOf({ info, methods: [methodOf([])] }))
    t.match(page, /<p>List:<\/p>\n<ul>\n<li>one<\/li>\n<li>two<\/li>\n<\/ul>\n<div class="bar"/)
  }
})

t.test('an empty contract has a page, and methods are grouped only when useful', async (t) => {
  t.match(pageOf(contractOf()), /<h1>T <span>1\.0\.0<\/span><\/h1>/)
  const named = (...names: readonly string[]) =>
    pageOf(contractOf({ methods: names.map((name) => ({ ...methodOf([]), name })) }))
  t.match(named('wallet.list', 'wallet.add', 'chain.id'), /<span class="group">wallet<\/span>/)
  t.notMatch(named('a.x', 'b.x'), /class="group"/)
  t.notMatch(named('x', 'y'), /class="group"/)
})

t.test('common Markdown is rendered', async (t) => {
  const anchors = new Map([
    ['here in', 'there'],
    ['pets Pet[]', 'object-Pets'],
    ['größe größe', 'size'],
  ])
  const links: Links = {
    anchored: (anchor, text) => anchors.get(`${anchor} ${text}`),
    named: (name) => (name === 'Pet' ? 'object-Pet' : undefined),
    rowId: () => undefined,
  }
  const rows: readonly [string, string][] = [
    ['a `Pet` and `` ` ``', 'a <a href="#object-Pet"><code>Pet</code></a> and <code>`</code>'],
    [
      '**bold *and soft*** ~~gone~~ a*b*c, but 2 * 3 * 4, snake_case_name',
      '<strong>bold <em>and soft</em></strong> <s>gone</s> a<em>b</em>c, but 2 * 3 * 4, snake_case_name',
    ],
    [
      '[in](#here) [out](#nowhere) [web](https://a.example/?a=1&amp;b)',
      '<a href="#there">in</a> out <a href="https://a.example/?a=1&amp;b" rel="noreferrer">web</a>',
    ],
    [
      'see https://a.example/x.',
      'see <a href="https://a.example/x" rel="noreferrer">https://a.example/x</a>.',
    ],
    ['&lt;b> \\` `<i>`', '&lt;b&gt; ` <code>&lt;i&gt;</code>'],
    [
      '<b>x</b> <!-- y --> <a@b.example>',
      '&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt; <a href="mailto:a@b.example" rel="noreferrer">a@b.example</a>',
    ],
    ['![x](https://a.example/x.png)', '!<a href="https://a.example/x.png" rel="noreferrer">x</a>'],
    ['[x](javascript:alert) [y](ftp://a.example) [z](//a.example)', '[x](javascript:alert) y z'],
    [
      '[`Pet[]`](#pets) [größe](#größe)',
      '<a href="#object-Pets"><code>Pet[]</code></a> <a href="#size">größe</a>',
    ],
  ]
  for (const [given, want] of rows) t.equal(inlineHtml(given, links), want, given)
  t.equal(
    inlineHtml('[a https://b.example/ `Pet`](https://a.example)', links),
    '<a href="https://a.example" rel="noreferrer">a https://b.example/ <code>Pet</code></a>',
    'no link in a link',
  )
  const blocks: readonly [string, string][] = [
    ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>\n'],
    ['# A head\nand text', '<p><strong>A head</strong></p>\n<p>and text</p>\n'],
    ['so:\n- a\n  more\n- b', '<p>so:</p>\n<ul>\n<li>a more</li>\n<li>b</li>\n</ul>\n'],
    ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n'],
    ['3) c\n4) d', '<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>\n'],
    ['````sh\n```\n<x>\n````', '<pre><code>```\n&lt;x&gt;</code></pre>\n'],
    ['```\nnever closed', '<pre><code>never closed</code></pre>\n'],
    ['- a\n  - b\n- c', '<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n'],
    ['> a\n> b\n\n***', '<blockquote>\n<p>a b</p>\n</blockquote>\n<hr>\n'],
    ['    indented &lt;x>', '<p>indented &lt;x&gt;</p>\n'],
    [
      '<div onclick="x">\n\n[a]\n\n[a]: https://a.example "t"',
      '<p>&lt;div onclick=&quot;x&quot;&gt;</p>\n<p><a href="https://a.example" rel="noreferrer">a</a></p>\n',
    ],
  ]
  for (const [given, want] of blocks) t.equal(blocksHtml(markdownBlocks(given), links), want, given)
  const [table] = markdownBlocks('| A | B |\n| --- | --- |\n| x\\|y |  |\n\nz')
  t.ok(table && 'rows' in table)
  if (!table || !('rows' in table)) return
  const texts = [table.columns, ...table.rows].map((cells) => cells.map(({ content }) => content))
  t.same(texts, [
    ['A', 'B'],
    ['x|y', ''],
  ])
})

t.test('long texts of any Markdown character are rendered, and no text becomes a tag', async (t) => {
  const links: Links = { anchored: () => undefined, named: () => undefined, rowId: () => undefined }
  const marks = [
    '*',
    'a*',
    '*a **b ',
    '_a ',
    '[',
    '[a](',
    '![',
    '`',
    '`a',
    '<',
    '<!-- ',
    '&',
    '\\',
    '|-\n',
    '>',
    '> - ',
  ]
  /** The long form has four times the length. */
  const length = runs
  const texts = [
    ...marks.map((mark) => mark.repeat(length(100_000) / mark.length)),
    `${'*a '.repeat(length(16_000))}${'a* '.repeat(length(16_000))}`,
    `${'['.repeat(length(20_000))}${'](#a)'.repeat(length(16_000))}`,
    Array.from({ length: 440 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
  ]
  for (const text of texts) {
    const html = blocksHtml(markdownBlocks(text), links)
    const unknown = tagsIn(html).filter((tag) => !known.test(tag))
    t.same(unknown, [], text.slice(0, 10))
  }
})

t.test(
  'words in tables stay whole: names break between their parts, and long texts where necessary',
  async (t) => {
    const links: Links = { anchored: () => undefined, named: () => undefined, rowId: () => undefined }
    const html = (markdown: string) => blocksHtml(markdownBlocks(markdown), links)
    const long = 'x'.repeat(200)
    t.equal(
      inlineHtml('`eth_getBlockTransactionCountByHash` `blockSelector` `{"to":"0x1"}`', links),
      '<code>eth_<wbr>get<wbr>Block<wbr>Transaction<wbr>Count<wbr>By<wbr>Hash</code> <code>blockSelector</code> <code>{&quot;to&quot;:&quot;0x1&quot;}</code>',
    )
    const cells = (table: string) =>
      [...html(table).matchAll(/<td role="cell"(?: class="([^"]*)")?/g)].map(([, name = '']) => name)
    t.same(cells('| Name | Unit |\n| --- | --- |\n| `a` | regular expression |'), ['name', ''])
    t.same(cells(`| Name | Unit |\n| --- | --- |\n| \`a\` | ${long} |\n| \`b\` | c |`), [
      'name',
      'long',
      'name',
      'long',
    ])
    t.match(
      html('| Name | Data |\n| --- | --- |\n| `refusedKeysPerAddressPerMinute` | x |'),
      'refused<wbr>Keys<wbr>Per',
    )
  },
)

t.test('text and ids are escaped', async (t) => {
  t.equal(
    escapeHtml('<a href="x">\'&\u0000\ud800</a>'),
    '&lt;a href=&quot;x&quot;&gt;&#39;&amp;\ufffd&lt;/a&gt;',
  )
  const newId = createIds(['search'])
  t.same(
    [newId('', 'search'), newId('m', 'a b'), newId('m', 'a/b'), newId('', '…'), newId('', '')],
    ['search-2', 'm-a-b', 'm-a-b-2', 'part', 'part-2'],
  )
})
