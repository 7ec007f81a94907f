import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import type { SignedIn } from '../accounts/account.js'
import { type Answer, redirect } from './answer.js'
import { DashboardError, notFound, unconfirmedOperator } from './dashboard-error.js'
import type { DashboardServices } from './dashboard-services.js'
import type { SendPage } from './send-page.js'
import { type OwnVisit, readVisit, type Visit, whoAsks } from './visit.js'

type Handler<V> = (visit: V) => Answer | Promise<Answer>

/** Adds pages and the forms that they send. A form is taken only with its token, and from this site. */
export interface RouteAdder<V> {
  get(path: string, handler: Handler<V>): void
  post(path: string, handler: Handler<V>): void
}

/** Where pages are added. */
export interface Routes extends RouteAdder<Visit> {
  /** For everybody, also while the database does not answer: who is logged in is not known then. */
  readonly always: RouteAdder<Visit>
  /** For those who are logged in; others are asked to log in first. */
  readonly own: RouteAdder<OwnVisit>
  /** For those who run the service; for others there is no such page. */
  readonly operators: RouteAdder<OwnVisit>
  /** The scope of the dashboard, for what is no page. */
  readonly scope: FastifyInstance
}

/**
 * Makes the adder of routes within a scope that has the dashboard's plug-ins.
 * @param sessionCookie name of the cookie that holds a session
 */
export function createRoutes(
  scope: FastifyInstance,
  { accounts, publicOrigin, ownOrigins }: DashboardServices,
  sendPage: SendPage,
  sessionCookie: string,
): Routes {
  const known = new Set<string>()
  /**
   * No other origin is to read or to change anything here: unlike a key's path, these have no answer for preflights.
   * A POST to the root is a request that forgot its key, so that its preflight is the service's own.
   */
  const refusePreflight = (path: string) => {
    if (path === '/' || known.has(path)) return
    known.add(path)
    scope.options(path, (_request, reply) => reply.code(405).header('allow', 'GET, HEAD, POST').send())
  }
  type Find = (request: FastifyRequest, reply: FastifyReply) => Promise<SignedIn | undefined>
  const visitors = new WeakMap<FastifyRequest, Promise<SignedIn | undefined>>()
  const find: Find = (request, reply) => {
    const user = visitors.get(request) ?? whoAsks(accounts, request, reply)
    visitors.set(request, user)
    return user
  }
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (visit: Visit) => Answer | Promise<Answer>,
    find: Find,
  ) => {
    const visit = readVisit(request, await find(request, reply))
    return sendPage(request, reply, await handle(visit), visit.user)
  }
  const ofOwn =
    (handler: Handler<OwnVisit>): Handler<Visit> =>
    (visit) => {
      const { user, request } = visit
      if (user !== undefined) return handler({ ...visit, user })
      const done = request.cookies[sessionCookie] ? '&done=session-ended' : ''
      return redirect(`/login?next=${encodeURIComponent(request.url)}${done}`)
    }
  /** A form of a session that ended is not sent again after the log-in: its page is shown. */
  const requireSession = async (request: FastifyRequest, reply: FastifyReply) => {
    if ((await find(request, reply)) !== undefined) return
    const next = encodeURIComponent(pathOf(request.headers.referer))
    await sendPage(request, reply, redirect(`/login?next=${next}&done=form-not-sent`), undefined)
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

/** Path and query of the page that a form stood on (RFC 9110, section 10.1.3); empty where none is named. */
function pathOf(referer = ''): string {
  if (!URL.canParse(referer)) return ''
  const { pathname, search } = new URL(referer)
  return pathname + search
}

/** Browsers name the origin of each form that is sent (Fetch standard, 3.2). */
function foreignOrigin(
  request: FastifyRequest,
  ownOrigins: readonly string[],
  publicOrigin: string | undefined,
): DashboardError | undefined {
  const { origin } = request.headers
  if (origin !== undefined && ownOrigins.includes(origin)) return undefined
  const help =
    publicOrigin === undefined
      ? 'If this is its address, the operator has to set CONCORDAT_PUBLIC_URL_DASHBOARD to it.'
      : `Open ${publicOrigin} and send it there.`
  return new DashboardError(403, `This form did not come from this site. Nothing was changed. ${help}`)
}
