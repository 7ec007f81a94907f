import type { DashboardServices } from './dashboard-services.js'
import type { Routes } from './routes.js'
import { findUser, type OwnVisit, readVisit } from './visit.js'

/** A table for download. Cells hold only our own names and numbers, so that none can act as a spreadsheet formula. */
export interface Download {
  /** File name. */
  readonly name: string
  /** Rows; the first one has the column names. */
  readonly rows: readonly (readonly (string | number)[])[]
}

/** Adds a CSV download (RFC 4180) for users who are logged in. Others are redirected to the log-in page. */
export function addDownload(
  { scope }: Routes,
  { accounts }: DashboardServices,
  path: string,
  handle: (visit: OwnVisit) => Promise<Download>,
): void {
  scope.get(path, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const user = await findUser(accounts, request, reply)
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
