import type { FastifyReply, FastifyRequest } from 'fastify'

/** What forms of somebody who is not logged in are bound to. */
const nobody = 'nobody'

/** Whom the token of a form is for: one who logs in or out needs a new one. */
export const boundTo = (request: FastifyRequest, sessionCookie: string): string =>
  request.cookies[sessionCookie] || nobody

/** Gives the one token that all forms of a page carry; made when the first of them asks for it. */
export function createFormToken(
  request: FastifyRequest,
  reply: FastifyReply,
  sessionCookie: string,
): () => string {
  let token: string | undefined
  return () => {
    // Each call would set a cookie of its own where the browser has none yet.
    token ??= reply.generateCsrf({ userInfo: boundTo(request, sessionCookie) })
    return token
  }
}
