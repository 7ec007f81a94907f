import type { FastifyReply, FastifyRequest } from 'fastify'

/** Token subject of users who are not logged in. */
const anonymous = 'nobody'

/**
 * Returns the subject of CSRF tokens: the session, without its signature, which changes with the secret. A log-in or
 * log-out thereby invalidates open forms.
 */
export const tokenSubject = (request: FastifyRequest, sessionCookie: string): string =>
  request.cookies[sessionCookie]?.split('.')[0] || anonymous

/** Creates a function that returns the CSRF token of a page, which all its forms share. */
export function createFormToken(
  request: FastifyRequest,
  reply: FastifyReply,
  sessionCookie: string,
): () => string {
  let token: string | undefined
  return () => {
    // Without a cookie in the browser, each call of `generateCsrf` would set another one.
    token ??= reply.generateCsrf({ userInfo: tokenSubject(request, sessionCookie) })
    return token
  }
}

/** Binds the form tokens of a page to the session that its response starts, if it starts one. */
export function useNewSession(
  request: FastifyRequest,
  setCookies: readonly string[],
  sessionCookie: string,
): void {
  for (const line of setCookies) {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    if (pair.slice(0, at) === sessionCookie)
      request.cookies[sessionCookie] = decodeURIComponent(pair.slice(at + 1))
  }
}
