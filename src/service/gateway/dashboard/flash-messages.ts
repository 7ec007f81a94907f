import type { FastifyReply, FastifyRequest } from 'fastify'

/** Time within which the page of a confirmation must be shown, in seconds. */
const shownWithin = 60

/**
 * Flash messages: confirmations of completed actions, such as "Key renamed". They are in a signed cookie for the page that a redirect leads
 * to, and are shown once. An address alone confirms nothing, because anybody can write a link.
 */
export interface FlashMessages {
  /** Confirms an action on the page of a redirect. */
  set(reply: FastifyReply, to: string, done: string): void
  /** Returns what was done before this page was requested; empty if nothing was. */
  read(request: FastifyRequest): string
  /** Forgets the confirmation. */
  clear(reply: FastifyReply): void
}

/**
 * Creates the flash messages. `@fastify/cookie` signs their cookie with its secret.
 * @param isSecure true if browsers reach the dashboard by HTTPS
 */
export function createFlashMessages(isSecure: boolean): FlashMessages {
  const name = `${isSecure ? '__Host-' : ''}concordat.done`
  const cookie = { path: '/', sameSite: 'lax', httpOnly: true, secure: isSecure } as const
  return {
    set(reply, to, done) {
      reply.setCookie(name, `${pathOf(to)} ${done}`, { ...cookie, signed: true, maxAge: shownWithin })
    },
    read(request) {
      const { valid, value } = request.unsignCookie(request.cookies[name] ?? '')
      const [path, done = ''] = valid ? (value ?? '').split(' ') : []
      return path === pathOf(request.url) ? done : ''
    },
    clear(reply) {
      reply.clearCookie(name, cookie)
    },
  }
}

const pathOf = (url: string): string => url.split(/[?#]/)[0] ?? ''
