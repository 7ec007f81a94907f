import type { VNode } from 'preact'

/** A page to be shown. */
export interface PageAnswer {
  readonly kind: 'page'
  readonly title: string
  /** What stands between the header and the footer. */
  readonly body: VNode
  /** HTTP status. */
  readonly status: number
  /** Assets that run on this page, beside those of every page, such as `console.js`. */
  readonly scripts: readonly string[]
  /** Style sheets of this page, beside that of every page. */
  readonly styles: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Sends the browser to another page, which it gets by GET. */
export interface RedirectAnswer {
  readonly kind: 'redirect'
  /** A path of the dashboard. */
  readonly to: string
  readonly setCookies: readonly string[]
}

/** What is answered to a request of the dashboard. */
export type Answer = PageAnswer | RedirectAnswer

/** What a page may have beside its title and body. */
export type PageOptions = Partial<Pick<PageAnswer, 'status' | 'scripts' | 'styles' | 'headers'>>

/**
 * A page.
 * @param title of the browser's window; the service's name is added
 */
export function page(title: string, body: VNode, options: PageOptions = {}): PageAnswer {
  return { kind: 'page', title, body, status: 200, scripts: [], styles: [], headers: {}, ...options }
}

/**
 * Sends the browser on, as behind each form that was taken: reloading then sends nothing twice.
 * @param setCookies `Set-Cookie` headers
 */
export function redirect(to: string, setCookies: readonly string[] = []): RedirectAnswer {
  return { kind: 'redirect', to, setCookies }
}
