import Fastify from 'fastify'
import type { DashboardServices } from '../../src/service/gateway/dashboard/index.js'
import { registerDashboard } from '../../src/service/gateway/dashboard/index.js'

/** A route of the dashboard. */
export interface DashboardRoute {
  /** GET or POST. */
  readonly method: string
  /** The path pattern, such as `/keys/:id`. */
  readonly path: string
}

/** Services that let routes be registered. No test calls them. */
const unasked: object = new Proxy(() => unasked, { get: () => unasked })

/** Lists every page and form that the dashboard registers, so that tests include new ones. */
export async function dashboardRoutes(): Promise<readonly DashboardRoute[]> {
  const app = Fastify()
  const routes: DashboardRoute[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const verb of [method].flat()) {
      if (verb === 'GET' || verb === 'POST') routes.push({ method: verb, path: url })
    }
  })
  const product = { accentColour: '#2456e6' }
  const known = { publicOrigin: undefined, formSecrets: ['an unused secret'], networks: new Map(), product }
  const services = new Proxy(known, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : unasked),
  })
  await registerDashboard(app, services as unknown as DashboardServices)
  await app.ready()
  await app.close()
  return routes
}
