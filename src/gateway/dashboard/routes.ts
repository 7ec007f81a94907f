import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ClientRequest, SignedIn } from '../account.js'
import { type Answer, redirect } from './answer.js'
import { DashboardError, notFound } from './dashboard-error.js'
import type { DashboardServices } from './dashboard-services.js'
import type { SendPage } from './send-page.js'

/** A request of a person, as the handlers of pages get it. */
export interface Visit {
  readonly params: Readonly<Record<string, string>>
  /** One value of the query string; empty where there is none. */
  query(name: string): string
  /** One value of the form that was sent; empty where there is none, and where there are several. */
  form(name: string): string
  /** Who is logged in. */
  readonly user: SignedIn | undefined
  /** The request as accounts take it. */
  readonly from: ClientRequest
  readonly request: FastifyRequest
}

/** A request of somebody who is logged in. */
export interface OwnVisit extends Visit {
  readonly user: SignedIn
}

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

/** Makes the adder of routes within a scope that has the dashboard's plug-ins. */
export function createRoutes(
  scope: FastifyInstance,
  { accounts, publicOrigin }: DashboardServices,
  sendPage: SendPage,
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
  type Find = (from: ClientRequest) => Promise<SignedIn | undefined>
  const visitOf = async (request: FastifyRequest, find: Find): Promise<Visit> => {
    const from = { headers: request.headers, address: request.ip }
    const user = await find(from)
    return {
      params: request.params as Readonly<Record<string, string>>,
      query: (name) => textOf(request.query, name),
      form: (name) => textOf(request.body, name),
      user,
      from,
      request,
    }
  }
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (visit: Visit) => Answer | Promise<Answer>,
    find: Find,
  ) => {
    const visit = await visitOf(request, find)
    return sendPage(request, reply, await handle(visit), visit.user)
  }
  const ofOwn =
    (handler: Handler<OwnVisit>): Handler<Visit> =>
    (visit) => {
      const { user, request } = visit
      if (user !== undefined) return handler({ ...visit, user })
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : ''
      return redirect(`/login${next}`)
    }
  const ofOperators =
    (handler: Handler<OwnVisit>): Handler<OwnVisit> =>
    (visit) => {
      if (!accounts.isOperator(visit.user)) throw notFound()
      return handler(visit)
    }
  const adder = <V>(
    guard: (handler: Handler<V>) => Handler<Visit>,
    find: Find = accounts.session,
  ): RouteAdder<V> => ({
    get(path, handler) {
      const guarded = guard(handler)
      refusePreflight(path)
      scope.get(path, (request, reply) => answer(request, reply, guarded, find))
    },
    post(path, handler) {
      const guarded = guard(handler)
      refusePreflight(path)
      scope.post(
        path,
        {
          onRequest: (request, _reply, next) => next(foreignOrigin(request, publicOrigin)),
          preHandler: scope.csrfProtection,
        },
        (request, reply) => answer(request, reply, guarded, find),
      )
    },
  })
  return {
    ...adder<Visit>((handler) => handler),
    always: adder<Visit>(
      (handler) => handler,
      (from) => accounts.session(from).catch(() => undefined),
    ),
    own: adder(ofOwn),
    operators: adder((handler) => ofOwn(ofOperators(handler))),
    scope,
  }
}

/** Browsers name the origin of each form that is sent (Fetch standard, 3.2). */
function foreignOrigin(
  request: FastifyRequest,
  publicOrigin: string | undefined,
): DashboardError | undefined {
  const own = publicOrigin ?? `${request.protocol}://${request.host}`
  if (request.headers.origin === own) return undefined
  const where = publicOrigin === undefined ? '' : ` Open ${publicOrigin} and send it there.`
  return new DashboardError(403, `This form did not come from this site. Nothing was changed.${where}`)
}

/** A value is a text, whatever was sent. */
function textOf(values: unknown, name: string): string {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return ''
  const value = (values as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : ''
}
