import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { loadOptional } from '../store/optional-dependency.js'
import { page } from './answer.js'
import { readAssets } from './assets.js'
import { notFound, toldOf } from './dashboard-error.js'
import type { DashboardServices } from './dashboard-services.js'
import { boundTo } from './form-token.js'
import { ErrorPage } from './pages/error.js'
import { addAccountRoutes } from './routes/account-routes.js'
import { addAdministrationRoutes } from './routes/administration-routes.js'
import { addKeyEndRoutes } from './routes/key-end-routes.js'
import { addKeyRoutes } from './routes/key-routes.js'
import { addLandingRoutes } from './routes/landing-routes.js'
import { addMetricsRoutes } from './routes/metrics-routes.js'
import { addNetworksRoutes } from './routes/networks-routes.js'
import { addPasswordRoutes } from './routes/password-routes.js'
import { addSessionRoutes } from './routes/session-routes.js'
import { addSettingsRoutes } from './routes/settings-routes.js'
import { addSetupRoutes } from './routes/setup-routes.js'
import { addStatusRoutes } from './routes/status-routes.js'
import { addUsageRoutes } from './routes/usage-routes.js'
import { createRoutes } from './routes.js'
import { createSendPage } from './send-page.js'
import { addUnknownPage } from './unknown-page.js'
import { whoAsks } from './visit.js'

/** Forms are small; the largest, with public keys in it, takes a part of this. Bytes. */
const formBytes = 65_536
const internalError = 500
const YEAR_SECONDS = 31_536_000

/**
 * Adds the dashboard to a server, in a scope of its own: nothing of it is met by requests with a key. To be called
 * before the server is ready.
 * @throws OperatorError `dependency_missing`
 */
export async function registerDashboard(app: FastifyInstance, services: DashboardServices): Promise<void> {
  const plugins = await loadPlugins()
  const assets = await readAssets(await loadOptional(async () => chartFiles()))
  const isSecure = services.publicOrigin?.startsWith('https:') ?? false
  const sessionCookie = `${isSecure ? '__Secure-' : ''}concordat.session_token`
  const sendPage = createSendPage(services, assets, sessionCookie)
  addUnknownPage(app, sendPage)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(plugins.formbody, { bodyLimit: formBytes })
    await scope.register(plugins.cookie)
    await scope.register(plugins.helmet, securityHeaders(services, isSecure))
    await scope.register(plugins.csrf, {
      cookieKey: `${isSecure ? '__Host-' : ''}concordat.form`,
      cookieOpts: { path: '/', sameSite: 'lax', httpOnly: true, secure: isSecure },
      csrfOpts: { hmacKey: services.csrfSecret, userInfo: true },
      getUserInfo: (request) => boundTo(request, sessionCookie),
      getToken: (request) => (request.body as { readonly _csrf?: string } | undefined)?._csrf,
    })
    scope.addHook('onRequest', (_request, reply, next) => {
      if (services.isDraining()) reply.header('connection', 'close')
      next()
    })
    scope.setErrorHandler(async (error, request, reply) => {
      const told = toldOf(error)
      if (told.status >= internalError) services.onError(error, 'a page could not be made')
      if (told.retryAfterSeconds !== undefined) reply.header('retry-after', told.retryAfterSeconds)
      const user =
        told.status < internalError
          ? await whoAsks(services.accounts, request, reply).catch(() => undefined)
          : undefined
      const body = <ErrorPage status={told.status} message={told.message} />
      return sendPage(request, reply, page(`Error ${told.status}`, body, { status: told.status }), user)
    })
    assets.register(scope)
    const routes = createRoutes(scope, services, sendPage, sessionCookie)
    addLandingRoutes(routes, services)
    addSessionRoutes(routes, services)
    addPasswordRoutes(routes, services)
    addAccountRoutes(routes, services)
    addKeyRoutes(routes, services)
    addSetupRoutes(routes, services)
    addMetricsRoutes(routes, services)
    addNetworksRoutes(routes, services)
    addSettingsRoutes(routes, services)
    addKeyEndRoutes(routes, services)
    addUsageRoutes(routes, services)
    addStatusRoutes(routes, services)
    addAdministrationRoutes(routes, services)
    for (const folder of ['account', 'admin', 'assets', 'keys', 'usage'])
      routes.get(`/${folder}/*`, () => {
        throw notFound()
      })
  })
}

/** What draws charts, loaded by the pages that have some. */
function chartFiles(): Readonly<Record<string, URL>> {
  const { resolve } = createRequire(import.meta.url)
  return {
    'uplot.js': pathToFileURL(resolve('uplot/dist/uPlot.esm.js')),
    'uplot.css': pathToFileURL(resolve('uplot/dist/uPlot.min.css')),
  }
}

async function loadPlugins() {
  return loadOptional(async () => {
    const [formbody, cookie, helmet, csrf] = await Promise.all([
      import('@fastify/formbody'),
      import('@fastify/cookie'),
      import('@fastify/helmet'),
      import('@fastify/csrf-protection'),
    ])
    return { formbody: formbody.default, cookie: cookie.default, helmet: helmet.default, csrf: csrf.default }
  })
}

/** Nothing but what the service sends itself is loaded, run or framed. */
function securityHeaders({ networks }: DashboardServices, isSecure: boolean) {
  const own = ["'self'"]
  // The page of a key calls the service, which may be at other addresses.
  const service = [...networks.values()].map(
    ({ baseUrl }) =>
      () =>
        new URL(baseUrl()).origin,
  )
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: own,
        styleSrc: own,
        imgSrc: [...own, 'data:'],
        connectSrc: [...own, ...service],
        formAction: own,
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Without it browsers would name the origin of forms `null`.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isSecure ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false,
  } as const
}
