import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type { SignedIn } from '../accounts/index.js'
import { type Answer, redirect } from './answer.js'
import { DashboardError, notFound, unconfirmedOperator } from './dashboard-error.js'
import type { DashboardServices } from './dashboard-services.js'
import type { FlashMessages } from './flash-messages.js'
import type { SendPage } from './send-page.js'
import { findUser, type OwnVisit, readVisit, type Visit } from './visit.js'

type Handler<V> = (visit: V) => Answer | Promise<Answer>

/** Adds pages and forms. Forms need a CSRF token and an origin of this site. */
export interface RouteAdder<V> {
  get(path: string, handler: Handler<V>): void
  post(path: string, handler: Handler<V>): void
}

/** Route adders by audience. The members of this object itself add pages for everybody. */
export interface Routes extends RouteAdder<Visit> {
  /** Pages for everybody that work without the database. Users then appear as logged out. */
  readonly always: RouteAdder<Visit>
  /** Pages for users who are logged in. Others are redirected to the log-in page. */
  readonly own: RouteAdder<OwnVisit>
  /** Pages for operators. Others get status 404. */
  readonly operators: RouteAdder<OwnVisit>
  /** The dashboard's Fastify scope, for routes other than pages. */
  readonly scope: FastifyInstance
}

/**
 * Creates the route adders of a scope with the dashboard's plug-ins.
 * @param sessionCookie name of the session cookie
 */
export function createRoutes(
  scope: FastifyInstance,
  { accounts, publicOrigin, ownOrigins }: DashboardServices,
  sendPage: SendPage,
  flashMessages: FlashMessages,
  sessionCookie: string,
): Routes {
  const known = new Set<string>()
  /**
   * Refuses CORS preflights, because other origins must not read or change anything here. The root path is an
   * exception: a POST there is an RPC request without a key, and the service answers its preflight.
   */
  const refusePreflight = (path: string) => {
    if (path === '/' || known.has(path)) return
    known.add(path)
    scope.options(path, (_request, reply) => reply.code(405).header('allow', 'GET, HEAD, POST').send())
  }
  type Find = (request: FastifyRequest, reply: FastifyReply) => Promise<SignedIn | undefined>
  const visitors = new WeakMap<FastifyRequest, Promise<SignedIn | undefined>>()
  const find: Find = (request, reply) => {
    const user = visitors.get(request) ?? findUser(accounts, request, reply)
    visitors.set(request, user)
    return user
  }
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (visit: Visit) => Answer | Promise<Answer>,
    find: Find,
  ) => {
    const visit = readVisit(request, await find(request, reply), flashMessages.read(request))
    const answer = await handle(visit)
    if (visit.done !== '' && answer.kind === 'page') flashMessages.clear(reply)
    return sendPage(request, reply, answer, visit.user)
  }
  const ofOwn =
    (handler: Handler<OwnVisit>): Handler<Visit> =>
    (visit) => {
      const { user, request } = visit
      if (user !== undefined) return handler({ ...visit, user })
      const done = request.cookies[sessionCookie] ? 'session-ended' : undefined
      return redirect(`/login?next=${encodeURIComponent(request.url)}`, done)
    }
  /** Redirects a form of an ended session to the log-in page. After the log-in, the form's page is shown again. */
  const requireSession = async (request: FastifyRequest, reply: FastifyReply) => {
    if ((await find(request, reply)) !== undefined) return
    const next = encodeURIComponent(refererPath(request.headers.referer))
    await sendPage(request, reply, redirect(`/login?next=${next}`, 'form-not-sent'), undefined)
  }
  const ofOperators =
    (handler: Handler<OwnVisit>): Handler<OwnVisit> =>
    (visit) => {
      if (accounts.isOperator(visit.user)) return handler(visit)
      throw accounts.isUnconfirmedOperator(visit.user)
        ? unconfirmedOperator(accounts.resetsPasswords)
        : notFound()
    }
  const checkToken = scope.csrfProtection
  const ofOwnForms = [requireSession, checkToken]
  const adder = <V>(
    guard: (handler: Handler<V>) => Handler<Visit>,
    finding = find,
    beforeForms: preHandlerHookHandler[] = [checkToken],
  ): RouteAdder<V> => ({
    get(path, handler) {
      const guarded = guard(handler)
      refusePreflight(path)
      scope.get(path, (request, reply) => answer(request, reply, guarded, finding))
    },
    post(path, handler) {
      const guarded = guard(handler)
      refusePreflight(path)
      scope.post(
        path,
        {
          onRequest: (request, _reply, next) => next(foreignOrigin(request, ownOrigins(), publicOrigin)),
          preHandler: beforeForms,
        },
        (request, reply) => answer(request, reply, guarded, finding),
      )
    },
  })
  return {
    ...adder<Visit>((handler) => handler),
    always: adder<Visit>(
      (handler) => handler,
      (request, reply) => find(request, reply).catch(() => undefined),
    ),
    own: adder(ofOwn, find, ofOwnForms),
    operators: adder((handler) => ofOwn(ofOperators(handler)), find, ofOwnForms),
    scope,
  }
}

/** Returns path and query of the page with the form, from `Referer` (RFC 9110, section 10.1.3); empty without one. */
export function refererPath(referer = ''): string {
  if (!URL.canParse(referer)) return ''
  const { pathname, search } = new URL(referer)
  return pathname + search
}

/** Returns an error unless `Origin` is one of ours. Browsers send it with each form (Fetch standard, 3.2). */
function foreignOrigin(
  request: FastifyRequest,
  ownOrigins: readonly string[],
  publicOrigin: string | undefined,
): DashboardError | undefined {
  const { origin } = request.headers
  if (origin !== undefined && ownOrigins.includes(origin)) return undefined
  const help =
    publicOrigin === undefined
      ? 'If this is the right address, the operator must set CONCORDAT_PUBLIC_URL_DASHBOARD to it.'
      : `Open ${publicOrigin} and send the form there.`
  return new DashboardError(403, `This form was not sent from this site. Nothing was changed. ${help}`)
}
