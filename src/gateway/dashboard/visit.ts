import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientRequest, SignedIn } from '../accounts/account.js'
import type { DashboardAccounts } from './dashboard-services.js'

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

/** Reads what a request asks for. */
export function readVisit(request: FastifyRequest, user: SignedIn | undefined): Visit {
  return {
    params: request.params as Readonly<Record<string, string>>,
    query: (name) => textOf(request.query, name),
    form: (name) => textOf(request.body, name),
    user,
    from: clientOf(request),
    request,
  }
}

/** Who is logged in, if anybody; a session that goes on for longer now is told to the browser with the answer. */
export async function whoAsks(
  accounts: DashboardAccounts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const found = await accounts.session(clientOf(request))
  for (const cookie of found?.setCookies ?? []) reply.header('set-cookie', cookie)
  return found?.user
}

const clientOf = ({ headers, ip }: FastifyRequest): ClientRequest => ({ headers, address: ip })

/** A value is a text, whatever was sent. */
function textOf(values: unknown, name: string): string {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return ''
  const value = (values as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : ''
}
