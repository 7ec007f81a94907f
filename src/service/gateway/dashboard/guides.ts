import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { systemCode } from '../util/index.js'

/** The path below which the service serves the guides. The site is built for it. */
export const guidesPath = '/guides/'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const yearSeconds = 31_536_000

/**
 * Serves the guides, a folder that `npm run docs -- --base /guides/` built. Only files that were in the folder at the
 * start are served. The names of files below `assets` change with their content, so that browsers can keep them forever.
 */
export async function registerGuides(app: FastifyInstance, folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = new Map(
    files
      .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(join(folder, sep).length).split(sep).join('/'), file] as const),
  )
  /** Reads a file; undefined for an unknown one, and for one that was removed after the start. */
  const read = async (path: string) => {
    const file = paths.get(path)
    if (file === undefined) return undefined
    try {
      return { type: types[extname(file)] ?? '', body: await readFile(file) }
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
  }
  app.get(guidesPath.replace(/\/$/, ''), (_request, reply) => reply.redirect(guidesPath))
  app.get(`${guidesPath}*`, async (request, reply) => {
    const { '*': asked } = request.params as { readonly '*': string }
    const found = await read(asked.replace(/(^|\/)$/, '$1index.html'))
    const shown = found ?? (await read('404.html'))
    if (shown === undefined) return reply.callNotFound()
    const { type, body } = shown
    const isKept = found !== undefined && asked.startsWith('assets/')
    return reply
      .code(found === undefined ? 404 : 200)
      .headers({
        'content-type': type,
        'cache-control': isKept ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
        'content-security-policy':
          type === types['.html'] ? policyOf(body.toString('utf8')) : "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
      .send(body)
  })
}

/** Allows the files of the site, and the scripts that are written into this page. Code is coloured by attributes. */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = inline.map(
    ([, text = '']) => ` 'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self'${[...new Set(hashes)].join('')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
