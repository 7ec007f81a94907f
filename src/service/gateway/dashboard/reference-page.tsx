import { page } from './answer.js'
import type { DashboardServices } from './dashboard-services.js'
import type { Routes } from './routes.js'

/** The parts of the generated reference, which is a page of its own. */
export interface ReferenceParts {
  readonly html: string
  readonly styles: string
  readonly script: string
}

/** Takes the parts of reference.html that are shown within the service's pages. */
export function referenceParts(file: string): ReferenceParts {
  const [, html = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(file) ?? []
  const [, styles = ''] = [...file.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text)
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(file) ?? []
  return { html, styles, script }
}

/**
 * Adds the pages of the generated reference. They have the URLs of the service instead of the contract's example hosts,
 * and a link from each method to the console.
 */
export function addReferenceRoutes(
  { always }: Routes,
  { pages, networks }: Pick<DashboardServices, 'networks' | 'pages'>,
  { html }: ReferenceParts,
): void {
  let served: string | undefined
  for (const path of Object.keys(pages))
    always.get(path, () => {
      served ??= withUrls(
        html,
        [...networks.values()].map(({ title, baseUrl }) => ({ title, url: `${baseUrl()}/YOUR-API-KEY` })),
      )
      // The generator escapes every text of the contract.
      const body = <div dangerouslySetInnerHTML={{ __html: served }} />
      return page('Reference', body, { scripts: ['reference.js'] })
    })
}

/** Parts of the generated reference with the contract's example hosts. */
const serverRows = /(<section class="chapter" id="servers">[\s\S]*?<tbody[^>]*>)[\s\S]*?(<\/tbody>)/
const columns = /<th role="columnheader" scope="col">(?:Description|Variables)<\/th>/g
const urlLine = /RPC_URL=&#39;[^&]*&#39;/g
const methodHeading =
  /(<section class="item" id="method-[^"]*" data-item>\n<h3>.*?<code>(.*?)<\/code>.*<\/h3>\n)/g

function withUrls(html: string, served: readonly { readonly title: string; readonly url: string }[]): string {
  const rows = served.map(({ title, url }) => {
    const name = `<td role="cell" class="name" data-label="Name">${escaped(title)}</td>`
    return `<tr role="row" data-item>${name}<td role="cell" data-label="URL"><code>${escaped(url)}</code></td></tr>`
  })
  return html
    .replace(serverRows, (_all, head: string, foot: string) =>
      [head.replace(columns, ''), ...rows, foot].join('\n'),
    )
    .replace(urlLine, () => `RPC_URL=&#39;${escaped(served[0]?.url ?? '')}&#39;`)
    .replace(methodHeading, (head: string, _head, name: string) => `${head}${tryIt(name)}\n`)
}

/**
 * Links a method to the console of the reader's key.
 * @param name the method's name as HTML
 */
function tryIt(name: string): string {
  return `<p><a href="/try?method=${name}">Try it</a> with a key of yours.</p>`
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
