import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { LandingPage } from './landing-page.js'

/** Adds the landing page. */
export function addLandingRoutes(routes: Routes, services: DashboardServices): void {
  const { networks, limits, referencePath, product } = services
  routes.get('/', ({ user }) =>
    page(
      product.name,
      <LandingPage
        isLoggedIn={user !== undefined}
        networks={[...networks.values()]}
        limits={limits}
        referencePath={referencePath}
      />,
    ),
  )
}
