import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { StatusPage } from './status-page.js'

/** Adds the public status page. */
export function addStatusRoutes({ always }: Routes, { status }: DashboardServices): void {
  always.get('/status', async () =>
    page('Status', <StatusPage status={await status()} />, { scripts: ['live.js'] }),
  )
}
