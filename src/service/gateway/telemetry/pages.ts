import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

/** One encoding of a page: its bytes and its ETag. */
interface Representation {
  readonly body: Buffer
  readonly etag: string
}

/**
 * A page declares its policy in a meta element. `frame-ancestors` works only in a header (Content Security
 * Policy, level 3, 3.3).
 */
const statedPolicy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/
const noFrames = "frame-ancestors 'none'"

/**
 * Adds HTML pages for `GET` and `HEAD` without a key. Browsers revalidate them on each visit.
 * @param pages the name of each page, by its path
 * @param read returns a page's HTML by its name; called on the first request, when the service knows its own
 * addresses
 */
export function registerPages(
  app: FastifyInstance,
  pages: Readonly<Record<string, string>>,
  read: (name: string) => Promise<string>,
): void {
  for (const [path, name] of Object.entries(pages)) registerPage(app, path, () => read(name))
}

function registerPage(app: FastifyInstance, path: string, read: () => Promise<string>): void {
  let page: Promise<Page> | undefined
  app.get(path, async (request, reply) => {
    page ??= read().then(toPage)
    const { headers, plain, packed } = await page
    const isPacked = takesGzip(request.headers['accept-encoding'])
    const { body, etag } = isPacked ? packed : plain
    reply.headers({ ...headers, etag })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    if (isPacked) reply.header('content-encoding', 'gzip')
    return reply.send(body)
  })
}

/** A page in both encodings, with its headers. */
interface Page {
  readonly headers: Readonly<Record<string, string>>
  readonly plain: Representation
  readonly packed: Representation
}

function toPage(text: string): Page {
  const html = Buffer.from(text)
  const hash = createHash('sha256').update(html).digest('base64url')
  const policy = statedPolicy.exec(text)?.[1] ?? "default-src 'none'"
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; ${noFrames}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  }
  return {
    headers,
    plain: { body: html, etag: `"${hash}"` },
    packed: { body: gzipSync(html), etag: `"${hash}-gzip"` },
  }
}

/** RFC 9110, section 12.5.3: a coding with the weight 0 is not acceptable. */
function takesGzip(accepted = ''): boolean {
  return accepted.split(',').some((coding) => {
    const [name, weight = ''] = coding.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !/^q=0(?:\.0*)?$/.test(weight)
  })
}

/** RFC 9110, section 13.1.2: weak tags match strong ones. */
function isKnown(etag: string, tags = ''): boolean {
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}
