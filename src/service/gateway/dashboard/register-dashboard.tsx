import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { readContractPage } from '../util/index.js'
import { addAccountRoutes } from './accounts/account-routes.js'
import { addPasswordRoutes } from './accounts/password-routes.js'
import { addSecondFactorRoutes } from './accounts/second-factor-routes.js'
import { addAddressRoutes, addSessionRoutes } from './accounts/session-routes.js'
import { addSignUpRoutes } from './accounts/sign-up-routes.js'
import { addAdministrationRoutes } from './administration/administration-routes.js'
import { page } from './answer.js'
import { readAssets } from './assets.js'
import { notFound, toDashboardError } from './dashboard-error.js'
import type { DashboardServices } from './dashboard-services.js'
import { ErrorPage } from './error-page.js'
import { addFailuresRoutes } from './failures/failures-routes.js'
import { createFlashMessages } from './flash-messages.js'
import { tokenSubject } from './form-token.js'
import { registerGuides } from './guides.js'
import { addKeyRoutes } from './keys/key-routes.js'
import { addKeyStateRoutes } from './keys/key-state-routes.js'
import { addLandingRoutes } from './landing/landing-routes.js'
import { addMetricsRoutes } from './metrics/metrics-routes.js'
import { addNetworksRoutes } from './networks/networks-routes.js'
import { addReferenceRoutes, referenceParts } from './reference-page.js'
import { createRoutes } from './routes.js'
import { addScopeRoutes } from './scope/scope-routes.js'
import { createSendPage } from './send-page.js'
import { addSettingsRoutes } from './settings/settings-routes.js'
import { addSetupRoutes } from './setup/setup-routes.js'
import { addStatusRoutes } from './status/status-routes.js'
import { addThemeRoutes } from './theme/theme-routes.js'
import { addTokenRoutes } from './tokens/token-routes.js'
import { addUnknownPage } from './unknown-page.js'
import { addUsageRoutes } from './usage/usage-routes.js'
import { findUser } from './visit.js'

/** Maximum size of a form in bytes. The largest forms contain public keys. */
const formBytes = 65_536
const internalError = 500
const YEAR_SECONDS = 31_536_000

/**
 * Adds the dashboard to a server in a separate Fastify scope, so that its hooks do not run for RPC requests. It must be
 * called before the server is ready.
 */
export async function registerDashboard(app: FastifyInstance, services: DashboardServices): Promise<void> {
  const reference = referenceParts(String(await readContractPage('reference')))
  const assets = await readAssets(services.product, {
    ...chartFiles(),
    'reference.css': reference.styles,
    'reference.js': reference.script,
  })
  const isSecure = services.publicOrigin?.startsWith('https:') ?? false
  const sessionCookie = `${isSecure ? '__Secure-' : ''}concordat.session_token`
  const flashMessages = createFlashMessages(isSecure)
  const sendPage = createSendPage(services, assets, flashMessages, sessionCookie)
  addUnknownPage(app, sendPage)
  const { guidesFolder } = services.product
  if (guidesFolder !== undefined) await registerGuides(app, guidesFolder)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(formbody, { bodyLimit: formBytes })
    await scope.register(cookie, { secret: [...services.formSecrets] })
    await scope.register(helmet, securityHeaders(services, isSecure))
    await scope.register(csrf, {
      cookieKey: `${isSecure ? '__Host-' : ''}concordat.form`,
      cookieOpts: { path: '/', sameSite: 'lax', httpOnly: true, secure: isSecure },
      csrfOpts: { hmacKey: services.formSecrets[0] ?? '', userInfo: true },
      getUserInfo: (request) => tokenSubject(request, sessionCookie),
      getToken: (request) => (request.body as { readonly _csrf?: string } | undefined)?._csrf,
    })
    scope.addHook('onRequest', (_request, reply, next) => {
      if (services.isDraining()) reply.header('connection', 'close')
      next()
    })
    scope.setErrorHandler(async (error, request, reply) => {
      const { status, message, retryAfterSeconds } = toDashboardError(error)
      if (status >= internalError) services.onError(error, 'a dashboard page failed')
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      const user =
        status < internalError
          ? await findUser(services.accounts, request, reply).catch(() => undefined)
          : undefined
      const body = <ErrorPage status={status} message={message} />
      return sendPage(request, reply, page(`Error ${status}`, body, { status }), user)
    })
    assets.register(scope)
    const routes = createRoutes(scope, services, sendPage, flashMessages, sessionCookie)
    addLandingRoutes(routes, services)
    addScopeRoutes(routes)
    addSignUpRoutes(routes, services)
    addSessionRoutes(routes, services)
    addAddressRoutes(routes, services)
    addPasswordRoutes(routes, services)
    addAccountRoutes(routes, services)
    addSecondFactorRoutes(routes, services)
    addKeyRoutes(routes, services)
    addSetupRoutes(routes, services)
    addMetricsRoutes(routes, services)
    addFailuresRoutes(routes, services)
    addNetworksRoutes(routes, services)
    addSettingsRoutes(routes, services)
    addTokenRoutes(routes, services)
    addKeyStateRoutes(routes, services)
    addUsageRoutes(routes, services)
    addStatusRoutes(routes, services)
    addReferenceRoutes(routes, services, reference)
    addThemeRoutes(routes, isSecure)
    addAdministrationRoutes(routes, services)
    for (const folder of ['account', 'admin', 'assets', 'keys', 'usage'])
      routes.get(`/${folder}/*`, () => {
        throw notFound()
      })
  })
}

/** The files of the chart library. */
function chartFiles(): Readonly<Record<string, URL>> {
  const { resolve } = createRequire(import.meta.url)
  return {
    'uplot.js': pathToFileURL(resolve('uplot/dist/uPlot.esm.js')),
    'uplot.css': pathToFileURL(resolve('uplot/dist/uPlot.min.css')),
  }
}

/** Security headers: pages load and run only assets of the service, and cannot be framed. */
function securityHeaders({ networks }: DashboardServices, isSecure: boolean) {
  const own = ["'self'"]
  // The console calls the service, which may have other origins.
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
        imgSrc: own,
        fontSrc: own,
        connectSrc: [...own, ...service],
        formAction: own,
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // With `no-referrer`, browsers would send `Origin: null` with forms.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isSecure ? { maxAge: YEAR_SECONDS, includeSubDomains: false } : false,
  } as const
}
