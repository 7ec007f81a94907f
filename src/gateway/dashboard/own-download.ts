import type { DashboardServices } from './dashboard-services.js'
import type { Routes } from './routes.js'
import { type OwnVisit, readVisit, whoAsks } from './visit.js'

/** A table to be downloaded: names and numbers of ours alone, so that nothing in it can be a formula. */
export interface Download {
  /** Of the file. */
  readonly name: string
  /** The first has the names of the columns. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Adds a table that those who are logged in can download as CSV (RFC 4180); others are asked to log in. */
export function addDownload(
  { scope }: Routes,
  { accounts }: DashboardServices,
  path: string,
  handle: (visit: OwnVisit) => Promise<Download>,
): void {
  scope.get(path, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const user = await whoAsks(accounts, request, reply)
    if (user === undefined) return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`, 303)
    const { name, rows } = await handle({ ...readVisit(request, user), user })
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      })
      .send(rows.map((row) => `${row.join(',')}\r\n`).join(''))
  })
}
