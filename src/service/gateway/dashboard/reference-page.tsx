import type { FastifyInstance } from 'fastify'
import { render } from 'preact-render-to-string'
import { registerPages } from '../telemetry/index.js'
import { readContractPage } from '../util/index.js'
import type { Assets } from './assets.js'
import type { DashboardServices } from './dashboard-services.js'
import { Brand } from './parts/layout.js'

type ReferenceServices = Pick<DashboardServices, 'networks' | 'pages' | 'product' | 'referencePath'>

/**
 * Adds the pages of the generated reference, with the service's header, colours and typeface, its URLs instead of the
 * contract's example hosts, and a link from each method to the console.
 */
export function registerReference(app: FastifyInstance, services: ReferenceServices, assets: Assets): void {
  const { pages, networks } = services
  registerPages(app, pages, async (name) => {
    const served = [...networks.values()].map(({ title, baseUrl }) => ({
      title,
      url: `${baseUrl()}/YOUR-API-KEY`,
    }))
    return withHeader(withUrls(String(await readContractPage(name)), served), services, assets)
  })
}

/** Parts of the generated reference that the service's header and style sheets join. */
const policySources = /(style-src) ([^;]*);([^"]*)img-src data:/
const icon = /<link rel="icon" href="[^"]*">/
const headEnd = '</head>'
const skipLink = /<a class="skip"[^>]*>[^<]*<\/a>\n/

function withHeader(html: string, { product, referencePath }: ReferenceServices, assets: Assets): string {
  const { href, favicon, wordmark } = assets
  const links = (
    <>
      <link rel="icon" href={href(favicon)} />
      {['product.css', 'reference.css'].map((name) => (
        <link rel="stylesheet" href={href(name)} key={name} />
      ))}
    </>
  )
  const header = (
    <nav class="service" aria-label="Service">
      <Brand product={product} favicon={href(favicon)} wordmark={wordmark && href(wordmark)} />
      <a href="/keys">Keys</a>
      <a href="/status">Status</a>
      <a href={referencePath} aria-current="page">
        Reference
      </a>
    </nav>
  )
  return html
    .replace(policySources, "$1 'self' $2;$3img-src 'self' data:; font-src 'self'")
    .replace(icon, '')
    .replace(headEnd, () => `${render(links)}\n${headEnd}`)
    .replace(skipLink, (skip) => `${skip}${render(header)}\n`)
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
