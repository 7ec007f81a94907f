import type { VNode } from 'preact'

/** A response with a page. */
export interface PageAnswer {
  readonly kind: 'page'
  readonly title: string
  /** The content between header and footer. */
  readonly body: VNode
  /** HTTP status. */
  readonly status: number
  /** Further scripts of this page, such as `console.js`. */
  readonly scripts: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: readonly string[]
}

/** A redirect to another page (status 303). */
export interface RedirectAnswer {
  readonly kind: 'redirect'
  /** A path of the dashboard. */
  readonly to: string
  readonly setCookies: readonly string[]
  /** What was done, which that page confirms; undefined for nothing. */
  readonly done: string | undefined
}

/** A response of the dashboard. */
export type Answer = PageAnswer | RedirectAnswer

/** Optional properties of a page. */
export type PageOptions = Partial<Pick<PageAnswer, 'status' | 'scripts' | 'headers' | 'setCookies'>>

/**
 * Creates a page.
 * @param title window title, without the name of the service
 */
export function page(title: string, body: VNode, options: PageOptions = {}): PageAnswer {
  const defaults = { status: 200, scripts: [], headers: {}, setCookies: [] }
  return { kind: 'page', title, body, ...defaults, ...options }
}

/**
 * Creates a redirect. Accepted forms are answered with one, so that a reload does not send the form again.
 * @param to path of the dashboard
 * @param done what was done, which that page confirms as `visit.done`
 * @param setCookies `Set-Cookie` headers
 */
export function redirect(to: string, done?: string, setCookies: readonly string[] = []): RedirectAnswer {
  return { kind: 'redirect', to, done, setCookies }
}
