import { headingAnchors, markdownLines, plainText } from './markdown-text.js'

/** A part of a page that the search finds. */
export interface SearchSection {
  /** Empty for the page as a whole. */
  readonly anchor: string
  /** The headings above it and its own, the page's title first. */
  readonly titles: string[]
  readonly text: string
}

/** What readers call the subject of a section, where the section itself uses other words: by source and anchor. */
export const searchWords: Readonly<Record<string, string>> = {
  'docs/backend.md#serve-a-contract':
    'throw return a custom error with data from a handler or method; optional parameter with a default value',
  'docs/backend.md#handlers': 'read request headers context authentication of the user in a handler',
  'docs/backend.md#look-after-a-contract': 'mock server stub fake breaking change of the contract',
  'docs/backend.md#mount-it': 'middleware framework express fastify hono koa nest',
  'docs/integrator.md#batches-and-retries': 'how to retry timeout',
  'docs/integrator.md#limits':
    'calls in one batch, batch size, maximum calls of a batch, put calls in a batch',
  'docs/integrator.md#contracts': 'abi call a function of a smart contract read events',
  'docs/operator.md#nodes': 'add a node endpoint upstream provider more nodes',
  'docs/operator.md#dashboard': 'mail server smtp e-mail forgot password reset delete a user account sign up',
  'docs/operator.md#load-balancers': 'put it behind nginx haproxy proxy tls certificate https',
  'docs/operator.md#install-on-a-machine': 'install systemd linux server',
  'deploy/README.md#operators':
    'mail server smtp administrator delete a user; raise or lower the daily quota limit of one user',
  'docs/qa.md#when-a-green-run-may-gate-a-deployment':
    'flaky test unstable inconclusive pipeline release gate',
  'docs/qa.md#known-failures': 'flaky test ignore skip accept a failure so that the run stays green',
  'docs/tutorials/backend.md#3-add-a-method': 'edit openrpc.json and regenerate the types and code',
  'docs/qa.md#first-run': 'test a staging server or API that needs an api key, token or header',
  'docs/qa.md#watch-production': 'monitor production alert synthetic check',
  'conformance/README.md#compare-two-deployments':
    'compare staging and production two environments difference',
}

/**
 * Splits a page at its headings, and adds the words of readers ({@link searchWords}). Objects that a page of a method repeats are found at the page of objects, and a page
 * without a title has no sections.
 * @param source the file of the repository that the page comes from
 */
export function searchSections(source: string, markdown: string): SearchSection[] {
  const sections: { anchor: string; titles: string[]; lines: string[] }[] = []
  const anchors = headingAnchors(markdown)
  let titles: string[] = []
  for (const [at, { text, isCode }] of markdownLines(markdown).entries()) {
    const [, marks = '', heading = ''] = isCode ? [] : (/^(#{1,6}) (.*)/.exec(text) ?? [])
    if (marks === '') sections.at(-1)?.lines.push(text)
    else {
      titles = [...titles.slice(0, marks.length - 1), plainText(heading)]
      sections.push({ anchor: marks === '#' ? '' : (anchors.get(at) ?? ''), titles, lines: [] })
    }
  }
  return sections
    .filter((section) => section.titles[1] !== 'Objects' || section.titles.length < 2)
    .map(({ lines, ...section }) => ({
      ...section,
      text: `${plainText(lines.join('\n'))} ${searchWords[`${source}#${section.anchor}`] ?? ''}`,
    }))
}
