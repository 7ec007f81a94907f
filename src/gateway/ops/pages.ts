import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** A page as it is sent: bytes, and the tag by which a browser knows that it has them. */
interface Representation {
  readonly body: Buffer
  readonly etag: string
}

/** A page states its policy in its head; frames are a matter of headers alone (Content Security Policy, level 3, 3.3). */
const statedPolicy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/
const noFrames = "frame-ancestors 'none'"

/**
 * Adds pages for people, `GET` and `HEAD` without a key. A browser asks each time and is told when nothing changed.
 * @param pages the name of each page, by its path
 * @param read gives a page's HTML by its name
 */
export async function registerPages(
  app: FastifyInstance,
  pages: Readonly<Record<string, string>>,
  read: (name: string) => Promise<Buffer>,
): Promise<void> {
  for (const [path, name] of Object.entries(pages)) registerPage(app, path, await read(name))
}

function registerPage(app: FastifyInstance, path: string, html: Buffer): void {
  const hash = createHash('sha256').update(html).digest('base64url')
  const plain: Representation = { body: html, etag: `"${hash}"` }
  const packed: Representation = { body: gzipSync(html), etag: `"${hash}-gzip"` }
  const policy = statedPolicy.exec(html.toString('utf8'))?.[1] ?? "default-src 'none'"
  const fixed = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; ${noFrames}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  }
  app.get(path, (request, reply) => {
    const isPacked = takesGzip(request.headers['accept-encoding'])
    const { body, etag } = isPacked ? packed : plain
    reply.headers({ ...fixed, etag })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    if (isPacked) reply.header('content-encoding', 'gzip')
    return reply.send(body)
  })
}

/** RFC 9110, section 12.5.3: a coding with the weight 0 is not wanted. */
function takesGzip(accepted = ''): boolean {
  return accepted.split(',').some((coding) => {
    const [name, weight = ''] = coding.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !/^q=0(?:\.0*)?$/.test(weight)
  })
}

/** RFC 9110, section 13.1.2: weak tags count as the strong ones. */
function isKnown(etag: string, tags = ''): boolean {
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
