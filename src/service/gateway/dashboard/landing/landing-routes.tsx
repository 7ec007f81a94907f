import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { LandingPage } from './landing-page.js'

/** Adds the landing page. */
export function addLandingRoutes(routes: Routes, services: DashboardServices): void {
  const { networks, limits, referencePath, product, status, onError } = services
  routes.get('/', async ({ user }) =>
    page(
      product.name,
      <LandingPage
        isLoggedIn={user !== undefined}
        networks={[...networks.values()]}
        status={
          await status().catch((error: unknown) => {
            onError(error, 'the status of the first page could not be read')
            return undefined
          })
        }
        limits={limits}
        referencePath={referencePath}
      />,
      { scripts: ['live.js'] },
    ),
  )
}
