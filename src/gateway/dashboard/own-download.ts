import type { FastifyRequest } from 'fastify'
import type { SignedIn } from '../account.js'
import type { DashboardServices } from './dashboard-services.js'
import type { Routes } from './routes.js'

/** A table to be downloaded: names and numbers of ours alone, so that nothing in it can be a formula. */
export interface Download {
  /** Of the file. */
  readonly name: string
  /** The first has the names of the columns. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** A request of somebody who is logged in, for what is no page. */
export interface OwnRequest {
  readonly user: SignedIn
  readonly params: Readonly<Record<string, string>>
  /** One value of the query string; empty where there is none. */
  query(name: string): string
}

/** Reads who asks, and what; undefined where nobody is logged in. */
export async function ownRequest(
  { accounts }: DashboardServices,
  request: FastifyRequest,
): Promise<OwnRequest | undefined> {
  const user = await accounts.session({ headers: request.headers, address: request.ip })
  if (user === undefined) return undefined
  const query = request.query as Readonly<Record<string, unknown>>
  return {
    user,
    params: request.params as Readonly<Record<string, string>>,
    query: (name) => (typeof query[name] === 'string' ? query[name] : ''),
  }
}

/** Adds a table that those who are logged in can download as CSV (RFC 4180); others are asked to log in. */
export function addDownload(
  { scope }: Routes,
  services: DashboardServices,
  path: string,
  handle: (request: OwnRequest) => Promise<Download>,
): void {
  scope.get(path, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const own = await ownRequest(services, request)
    if (own === undefined) return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303)
    const { name, rows } = await handle(own)
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      })
      .send(rows.map((row) => `${row.join(',')}\r\n`).join(''))
  })
}
