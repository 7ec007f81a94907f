import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SignedIn } from '../../accounts/index.js'

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
  path: '/',
  quota: undefined,
})

/** Returns the context of the page. */
export const usePage = () => useContext(PageContext)
