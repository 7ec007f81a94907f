import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { LandingPage } from '../pages/landing.js'
import type { Routes } from '../routes.js'

/** Adds the page that everybody begins with. */
export function addLandingRoutes(routes: Routes, services: DashboardServices): void {
  const { networks, limits, referencePath, title } = services
  routes.get('/', ({ user }) =>
    page(
      title,
      <LandingPage
        isLoggedIn={user !== undefined}
        networks={[...networks.values()]}
        limits={limits}
        referencePath={referencePath}
      />,
    ),
  )
}
