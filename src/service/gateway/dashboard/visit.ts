import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientRequest, SignedIn } from '../accounts/index.js'
import type { DashboardAccounts } from './dashboard-services.js'

/** A request to a page, in the form that page handlers receive. */
export interface Visit {
  /** Path parameters. */
  readonly params: Readonly<Record<string, string>>
  /** Returns a value of the query string; empty if it is missing or repeated. */
  query(name: string): string
  /** Returns a value of the sent form; empty if it is missing or repeated. */
  form(name: string): string
  /** True if the sent form has the field. */
  sent(name: string): boolean
  /** What was done before the redirect to this page; empty for nothing. */
  readonly done: string
  /** The user who is logged in. */
  readonly user: SignedIn | undefined
  /** The request in the form that accounts need. */
  readonly from: ClientRequest
  readonly request: FastifyRequest
}

/** A request of a user who is logged in. */
export interface OwnVisit extends Visit {
  readonly user: SignedIn
}

/** Creates the visit of a request. */
export function readVisit(request: FastifyRequest, user: SignedIn | undefined, done = ''): Visit {
  return {
    params: request.params as Readonly<Record<string, string>>,
    query: (name) => textOf(request.query, name),
    form: (name) => textOf(request.body, name),
    sent: (name) => hasOwn(request.body, name),
    done,
    user,
    from: clientOf(request),
    request,
  }
}

/** Finds the user of a request's session. If the session was extended, the response updates the cookie. */
export async function findUser(
  accounts: DashboardAccounts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const found = await accounts.session(clientOf(request))
  for (const cookie of found?.setCookies ?? []) reply.header('set-cookie', cookie)
  return found?.user
}

const clientOf = ({ headers, ip }: FastifyRequest): ClientRequest => ({ headers, address: ip })

/** Returns a string value; empty for missing and repeated values. */
function textOf(values: unknown, name: string): string {
  if (!hasOwn(values, name)) return ''
  const value = values[name]
  return typeof value === 'string' ? value : ''
}

const hasOwn = (values: unknown, name: string): values is Readonly<Record<string, unknown>> =>
  typeof values === 'object' && values !== null && Object.hasOwn(values, name)
