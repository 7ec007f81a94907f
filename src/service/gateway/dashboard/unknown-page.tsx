import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isKeyText } from '../keys/index.js'
import { page } from './answer.js'
import { notFound } from './dashboard-error.js'
import { ErrorPage } from './error-page.js'
import type { SendPage } from './send-page.js'

/** The dashboard's headers apply only within its scope, so this page sets its own. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/**
 * Answers browsers at unknown paths with an error page. Other clients, and browsers at the path of a key, get the
 * JSON-RPC error of the RPC routes.
 */
export function addUnknownPage(app: FastifyInstance, sendPage: SendPage): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!isBrowser(request) || isKnown(request)) return
    const { status, message } = notFound()
    const body = <ErrorPage status={status} message={message} />
    await sendPage(request, reply, page(`Error ${status}`, body, { status, headers }), undefined)
  })
}

const isBrowser = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')

/** True for pages and for paths of keys. The RPC routes match every other path, too. */
function isKnown({ url, routeOptions }: FastifyRequest): boolean {
  const route = routeOptions.url
  if (route !== undefined && route !== '*' && !route.endsWith(':key')) return true
  const [path = ''] = url.split('?')
  return isKeyText(path.slice(path.lastIndexOf('/') + 1))
}
