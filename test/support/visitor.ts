/** A user with a browser without scripts: reads pages, sends forms and keeps cookies. */
export interface Visitor {
  readonly cookies: Map<string, string>
  /** Cookies by name, from the latest `Set-Cookie`. */
  readonly attributes: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<VisitedPage>
  /** Sends a form as a page of the site does. Its CSRF token and version come from `from`, a page with a form. */
  post(path: string, fields: Readonly<Record<string, string>>, options?: PostOptions): Promise<VisitedPage>
}

/** A page, or the target of its redirect. */
export interface VisitedPage {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** Path of a redirect. */
  readonly location: string | null
}

/** Options of a form. */
export interface PostOptions {
  /** Page with the form. The default is the page at the form's path for settings, and otherwise `/signup` or `/account`. */
  readonly from?: string
  /** Headers of the form. Without `Origin`, the origin of the site is sent; null sends none. */
  readonly headers?: Readonly<Record<string, string | null>>
}

/** A password that the service accepts. */
export const password = 'a long enough password'

let people = 0

/** A new e-mail address. */
export function newAddress(): string {
  people += 1
  return `person${people}@example.com`
}

let visitors = 0

/** A unique client address. Services that trust local proxies use it as the client's address. */
export function newClientAddress(): string {
  visitors += 1
  return `10.1.${Math.floor(visitors / 250)}.${(visitors % 250) + 1}`
}

/** Settings that make a service count attempts per visitor. */
export const separateVisitors = { CONCORDAT_TRUSTED_PROXIES: '127.0.0.0/8, ::1' } as const

/**
 * Creates a visitor of a site.
 * @param address the client's address, as a proxy reports it
 */
export function createVisitor(origin: string, address = newClientAddress()): Visitor {
  const cookies = new Map<string, string>()
  const attributes = new Map<string, string>()

  async function ask(path: string, init: RequestInit): Promise<VisitedPage> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = init.headers as Record<string, string>
    const headers = { 'x-forwarded-for': address, ...(cookie && { cookie }), ...sent }
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
      attributes.set(name, rest)
      if (value === '' || /max-age=0/i.test(rest)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { status } = response
    return {
      status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location'),
    }
  }
  const get: Visitor['get'] = (path, headers = {}) => ask(path, { headers })
  return {
    cookies,
    attributes,
    get,
    async post(path, fields, { from, headers = {} } = {}) {
      const isLoggedIn = [...cookies.keys()].some((name) => name.endsWith('session_token'))
      const page = path.endsWith('/settings') ? path : isLoggedIn ? '/account' : '/signup'
      const { html } = await get(from ?? page)
      const body = new URLSearchParams({ ...hiddenFields(html), ...fields })
      const sent = Object.entries({ origin, ...headers }).filter(([, value]) => value !== null)
      return ask(path, { method: 'POST', body, headers: Object.fromEntries(sent) as Record<string, string> })
    },
  }
}

/** Returns the CSRF token of a page, and the version of the settings that it shows. */
export function hiddenFields(html: string): Readonly<Record<string, string>> {
  const found = html.matchAll(/<input type="hidden" name="(_csrf|version)" value="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]))
}
