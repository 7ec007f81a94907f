import type { DashboardServices } from './dashboard-services.js'
import type { Routes } from './routes.js'
import { findUser, type OwnVisit, readVisit } from './visit.js'

/** A file for download. */
export interface Download {
  /** File name. */
  readonly name: string
  /** Media type. */
  readonly type: string
  readonly text: string
}

/**
 * Creates a CSV file (RFC 4180).
 * @param rows the first one has the column names. Cells hold names without commas and quotation marks, and numbers. A
 *   name that a spreadsheet would read as a formula gets an apostrophe before it.
 */
export const csv = (name: string, rows: readonly (readonly (string | number)[])[]): Download => ({
  name,
  type: 'text/csv; charset=utf-8',
  text: rows.map((row) => `${row.map(plain).join(',')}\r\n`).join(''),
})

const plain = (cell: string | number) =>
  typeof cell === 'string' && /^[=+@-]/.test(cell) ? `'${cell}` : cell

/** Adds a download for users who are logged in. Others are redirected to the log-in page. */
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
    const { name, type, text } = await handle({ ...readVisit(request, user), user })
    return reply
      .headers({
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
      })
      .send(text)
  })
}
