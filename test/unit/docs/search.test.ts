import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { headingAnchors, plainText } from '../../../bin/docs/markdown-text.js'
import { hitsOf, searchIndex } from '../../../bin/docs/search-index.js'
import { indexOptions, searchOptions } from '../../../bin/docs/search-options.js'
import { searchSections, searchWords } from '../../../bin/docs/search-sections.js'
import { siteContent } from '../../../bin/docs/site-pages.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { groups } = await siteContent(root, {})
const index = searchIndex(groups)
const search = (question: string) => hitsOf(index, question)

const questions: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...Object.values(parse(await readFile(new URL('search-questions.yaml', import.meta.url), 'utf8'))),
)

t.test('the first three hits of a question have its answer, but for one question in thirty', (t) => {
  const missed = Object.entries(questions).flatMap(([question, answers]) => {
    const hits = search(question)
      .slice(0, 3)
      .map(({ at }) => at)
    const isAnswered = hits.some((at) => answers.some((answer) => at.endsWith(answer)))
    return isAnswered ? [] : [`${question}: ${hits.join(', ')}`]
  })
  t.ok(missed.length <= Object.keys(questions).length / 30, missed.join('\n'))
  t.end()
})

t.test('decisions, the changelog and the architecture are in an index of their own', (t) => {
  const hits = Object.keys(questions).flatMap((question) => search(question))
  t.same(
    hits.filter(({ at }) => at.startsWith('project/')),
    [],
  )
  t.ok(
    groups.some(
      ({ part, pages }) => part === 'project' && pages.some(({ source }) => source === 'CHANGELOG.md'),
    ),
  )
  t.end()
})

/** Lists, whose entries are found by their names. */
const lists = /^(?:openrpc\.json|docs\/(?:clients|extensions|commands)\.md)$/

t.test('each section of a guide has words of readers, and they belong to sections that exist', async (t) => {
  for (const { source, markdown } of groups.flatMap(({ part, pages }) => (part === undefined ? pages : [])))
    if (!lists.test(source))
      t.same(
        searchSections(source, markdown)
          .filter(({ anchor, words }) => anchor !== '' && words === '')
          .map(({ anchor }) => anchor),
        [],
        source,
      )
  for (const [source, words] of Object.entries(searchWords)) {
    const anchors = new Set(['', ...headingAnchors(await readFile(`${root}${source}`, 'utf8')).values()])
    t.same(
      Object.keys(words).filter((anchor) => !anchors.has(anchor)),
      [],
      source,
    )
  }
})

t.test('forms of a word, and words for the same thing, are one term', (t) => {
  const same = ['retries Retrying retried repeat', 'limits throttled', 'k8s kubernetes', "users' customer"]
  for (const line of same) {
    const terms = line.split(' ').map((word) => searchOptions.processTerm(word))
    t.equal(new Set(terms).size, 1, `${line}: ${terms.join(' ')}`)
  }
  t.same(searchOptions.tokenize('back up a key-ring'), ['backup', 'a', 'key', 'ring'])
  t.equal(searchOptions.processTerm('the'), null)
  t.same(indexOptions.processTerm('timeoutMilliseconds'), ['timeoutmillisecond', 'timeout', 'millisecond'])
  t.end()
})

t.test('a section has its headings and its words, and repeated objects have none', (t) => {
  const page =
    '# A\nSee [b](./c.md).\n\n## `D`\n| e | f |\n| --- | --- |\n\n### G\nh\n\n## Objects\n\n### I\n'
  t.same(
    searchSections('', page).map(({ anchor, titles, text }) => [anchor, titles.join(), text.trim()]),
    [
      ['', 'A', 'See b.'],
      ['d', 'A,D', 'e f'],
      ['g', 'A,D,G', 'h'],
    ],
  )
  t.equal(plainText('**a** `b|c`'), 'a b c')
  t.end()
})
