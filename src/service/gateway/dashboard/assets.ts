import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { onceMade } from '../util/index.js'
import { type Coding, codingFor, encode } from './codings.js'
import { notFound } from './dashboard-error.js'
import { accentStyles } from './product/accent-colours.js'
import { defaultFavicon } from './product/default-favicon.js'
import type { Product } from './product/product.js'
import { typeface, typefaceStyles } from './product/typeface.js'

/** Scripts and style sheets of the dashboard. */
export interface Assets {
  /** Returns the URL of an asset. It changes with the content, so that browsers can cache assets forever. */
  readonly href: (name: string) => string
  /** Name of the icon in tabs of browsers. */
  readonly favicon: string
  /** Name of the image that is shown instead of the product's name; undefined without one. */
  readonly wordmark: string | undefined
  readonly register: (scope: FastifyInstance) => void
}

interface Asset {
  readonly type: string
  readonly body: Buffer
  /** Returns the compressed body, which is made on demand; undefined for types that are already compressed. */
  readonly packed: ((coding: Coding) => Promise<Buffer>) | undefined
  readonly version: string
}

const folder = new URL('./assets/', import.meta.url)
const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** Types whose files are already compressed. */
const compressed = ['image/png', 'font/woff2']
/** The style sheets of the parts of pages. Later ones take precedence. */
const pageStyles = [
  'dashboard.css',
  'uplot.css',
  'metrics.css',
  'settings.css',
  'setup.css',
  'reference.css',
] as const
const VERSION_CHARACTERS = 12
const yearSeconds = 31_536_000

/**
 * Reads all files of the folder `assets` and further files, and makes those of the product.
 * @param others files of other packages, and texts, by asset name
 */
export async function readAssets(
  { accentColour, favicon, wordmark }: Pick<Product, 'accentColour' | 'favicon' | 'wordmark'>,
  others: Readonly<Record<string, URL | string>>,
): Promise<Assets> {
  const own = (await readdir(folder)).map((name) => [name, new URL(name, folder)] as const)
  const assets = new Map<string, Asset>()
  for (const [name, file] of [...own, ...Object.entries(others)]) {
    const type = types[name.split('.').at(-1) ?? '']
    const body = typeof file === 'string' ? Buffer.from(file) : await readFile(file)
    if (type !== undefined) assets.set(name, toAsset(type, body))
  }
  const add = (name: string, type: keyof typeof types, body: Buffer) => {
    assets.set(`${name}.${type}`, toAsset(types[type] ?? '', body))
    return `${name}.${type}`
  }
  const href = (name: string) => `/assets/${name}?v=${assets.get(name)?.version ?? ''}`
  const styles = [typefaceStyles(href(typeface)), accentStyles(accentColour)]
  const tokens = await readFile(new URL('tokens.css', folder))
  // Each page loads the styles of all parts, in one request that browsers cache: no page can lack the styles of a part.
  const parts = pageStyles.map((name) => {
    const part = assets.get(name)
    if (part === undefined) throw new TypeError(`the style sheet ${name} is missing`)
    return part.body
  })
  add('pages', 'css', Buffer.concat([tokens, ...styles.map((text) => Buffer.from(text)), ...parts]))
  return {
    href,
    favicon: favicon
      ? add('favicon', favicon.type, favicon.body)
      : add('favicon', 'svg', Buffer.from(defaultFavicon(accentColour))),
    wordmark: wordmark && add('wordmark', wordmark.type, wordmark.body),
    register(scope) {
      scope.get('/assets/:name', async (request, reply) => {
        const { name } = request.params as { readonly name: string }
        const asset = assets.get(name)
        if (asset === undefined) throw notFound()
        const { v } = request.query as { readonly v?: unknown }
        const kept = v === asset.version ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
        reply.headers({ 'content-type': asset.type, 'cache-control': kept, vary: 'accept-encoding' })
        const coding = codingFor(request.headers['accept-encoding'])
        if (asset.packed === undefined || coding === undefined) return reply.send(asset.body)
        const body = await asset.packed(coding)
        return reply.header('content-encoding', coding).send(body)
      })
    },
  }
}

function toAsset(type: string, body: Buffer): Asset {
  const version = createHash('sha256').update(body).digest('base64url').slice(0, VERSION_CHARACTERS)
  const packed = compressed.includes(type) ? undefined : onceMade((coding: Coding) => encode(coding, body))
  return { type, body, packed, version }
}
