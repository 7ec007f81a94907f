import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { StatusPage } from '../pages/status.js'
import type { Routes } from '../routes.js'

/** Adds the page that tells everybody how the service does. */
export function addStatusRoutes({ always }: Routes, { status }: DashboardServices): void {
  always.get('/status', async () =>
    page('Status', <StatusPage status={await status()} />, { scripts: ['live.js'], styles: ['metrics.css'] }),
  )
}
