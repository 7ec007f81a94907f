import type { FastifyInstance } from 'fastify'
import { type Network, type Served, servedEntries } from '../profiles/index.js'
import { registerPages } from '../telemetry/index.js'
import { readContractPage } from '../util/index.js'

/**
 * Adds the pages of the generated reference, with the URLs of this service instead of the contract's example hosts, and
 * a link from each method to the console.
 * @param pages page names, by path
 * @param networks networks that this service serves, in display order
 * @param baseUrl returns the base of a network's URLs; called once the service is listening
 */
export function registerReference(
  app: FastifyInstance,
  pages: Readonly<Record<string, string>>,
  networks: Served<{ readonly title: string }>,
  baseUrl: (network: Network) => string,
): void {
  registerPages(app, pages, async (name) => {
    const served = servedEntries(networks).map(([network, { title }]) => ({
      title,
      url: `${baseUrl(network)}/YOUR-API-KEY`,
    }))
    return withUrls(String(await readContractPage(name)), served)
  })
}

/** Parts of the generated reference with the contract's example hosts. */
const serverRows = /(<section id="servers">[\s\S]*?<tbody[^>]*>)[\s\S]*?(<\/tbody>)/
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
