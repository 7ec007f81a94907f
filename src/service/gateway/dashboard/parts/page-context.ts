import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SignedIn } from '../../accounts/index.js'
import type { Theme } from '../theme/theme.js'

/** Requests of a user on the current UTC day. */
export interface Quota {
  readonly used: number
  readonly limit: number
}

/** Properties of the request that any part of a page may need. */
export interface PageContextValue {
  /** Returns the CSRF token for forms of this page. */
  readonly csrf: () => string
  readonly user: SignedIn | undefined
  readonly isOperator: boolean
  /** True unless the page is outside of the dashboard's scope, where forms have no tokens. */
  readonly hasForms: boolean
  /** The theme that the visitor has chosen; undefined for that of the system. */
  readonly theme: Theme | undefined
  /** Path of the page. */
  readonly path: string
  /** Requests of the user today and their limit; undefined while there are few. */
  readonly quota: Quota | undefined
}

/** Context around each page. */
export const PageContext = createContext<PageContextValue>({
  csrf: () => '',
  user: undefined,
  isOperator: false,
  hasForms: false,
  theme: undefined,
  path: '/',
  quota: undefined,
})

/** Returns the context of the page. */
export const usePage = () => useContext(PageContext)
