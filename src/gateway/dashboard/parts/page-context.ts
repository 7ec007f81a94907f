import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { SignedIn } from '../../accounts/index.js'

/** Properties of the request that any part of a page may need. */
export interface PageContextValue {
  /** Returns the CSRF token for forms of this page. */
  readonly csrf: () => string
  readonly user: SignedIn | undefined
  readonly isOperator: boolean
  /** Path of the page. */
  readonly path: string
}

/** Context around each page. */
export const PageContext = createContext<PageContextValue>({
  csrf: () => '',
  user: undefined,
  isOperator: false,
  path: '/',
})

/** Returns the context of the page. */
export const usePage = () => useContext(PageContext)
